#include "sampling_cases.h"

namespace heddle::bench {
namespace {

constexpr SamplingCase kCases[] = {
    {"stringbuffer", "stringbuffer", "", {.0638, .0000, .0193, .0420, .0600, .0332, .0833}},
    {"reorder_3", "reorder", "-DSETTERS=2", {.0246, .0255, .0457, .0580, .0660, .0920, .0997}},
    {"reorder_4", "reorder", "-DSETTERS=3", {.0074, .0118, .0206, .0263, .0294, .0294, .0795}},
    {"reorder_5", "reorder", "-DSETTERS=4", {.0018, .0061, .0110, .0122, .0126, .0089, .0668}},
    {"reorder_10", "reorder", "-DSETTERS=9", {.0000, .0007, .0014, .0017, .0021, .0000, .0308}},
    {"reorder_20", "reorder", "-DSETTERS=19", {.0000, .0015, .0027, .0040, .0043, .0021, .1709}},
    {"reorder_50", "reorder", "-DSETTERS=49"},
    {"twostage", "twostage", "-DWRITERS=1", {.0806, .1213, .1959, .2448, .2804, .2579, .1212}},
    {"twostage_100", "twostage", "-DWRITERS=99", {.0000, .0000, .0000, .0002, .0002, .0000, .0047}},
    {.name = "safestack",
     .source = "safestack",
     .define = "",
     .runs = 1'000'000,
     .auto_runs = 5'000'000},
    {"wsq", "wsq", "", {.0002, .0484, .0813, .1054, .1190, .1444, .0497}},
    {"wsq_state", "wsq", "-DSTATE", {.0092, .0003, .0015, .0017, .0019, .0146, .0926}},
    {"iwsq", "iwsq", "", {.0010, .0461, .0775, .0984, .1183, .1205, .0500}},
    {"iwsq_state", "iwsq", "-DSTATE", {.0643, .0006, .0040, .0073, .0121, .0618, .1380}},
    {"queue", "queue", "", {.9999, .0068, .1415, .2621, .3511, .6176, .9999}},
    {"qsort_mt", "qsort_mt", "", {.0097, .0117, .0239, .0328, .0398, .0937, .0958}},
    {"wronglock", "wronglock", "-DOTHERS=7", {.3272, .0351, .0630, .0942, .1142, .2508, .4227}},
    {"wronglock_3", "wronglock", "-DOTHERS=3", {.3095, .0683, .1137, .1454, .1741, .2689, .3625}},
    {"bluetooth", "bluetooth_driver", "", {.0628, .0390, .0597, .0778, .0791, .1334, .0847}},
    {"deadlock01", "deadlock01", "", {.3668, .0904, .1714, .2468, .3160, .8363, .3315}},
    {"account", "account", "", {.1173, .2140, .1929, .1748, .1628, .1189, .3367}},
    {"token_ring", "token_ring", "", {.1245, .1367, .1717, .1923, .2021, .2171, .1724}},
    {"circular_buffer", "circular_buffer", "", {.9159, .1301, .2888, .4226, .5180, .7114, .9369}},
    {"carter01", "carter01", "", {.4706, .1591, .2974, .4043, .5007, .9583, .4999}},
    {"ctrace", "ctrace", "", {.2380, .2755, .3342, .3459, .3453, .2099, .4680}},
    {"pbzip2", "pbzip2", "", {.3768, .2321, .2736, .3048, .3245, .3609, .6268}},
    {"stack", "stack", "", {.6051, .2800, .4060, .4811, .5365, .7352, .6210}},
    {"lazy01", "lazy01", "", {.6089, .5386, .5645, .5906, .6112, .6887, .3313}},
    {"streamcluster", "streamcluster", "", {.3523, .4970, .5020, .4979, .5009, .4849, .4421}},
    {"aget", "aget", "", {.4961, .3993, .4691, .5036, .5285, .6117, .9395}},
    {"barnes", "barnes", "", {.5180, .5050, .5049, .5048, .5052, .5043, .4846}},
    {"bounded_buffer", "bounded_buffer", ""},
    {"philosophers", "philosophers", ""},
    {"lost_wakeup", "lost_wakeup", ""},
    {"double_checked", "double_checked", ""},
    {"refcount", "refcount", ""},
    {"script_cache", "script_cache", ""},
};

}  // namespace

std::span<const SamplingCase> SamplingCases() { return kCases; }

}  // namespace heddle::bench
