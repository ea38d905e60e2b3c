#include "strategy/variant_data.h"

#include <algorithm>
#include <span>

#include "strategy/flat_data.h"

namespace heddle {

void PutVariant(const reach::Variant& variant, const NameTable& owners, const NameTable& threads,
                const std::set<std::uint64_t>& racy, Plan& plan) {
  VariantRows rows;
  for (reach::Index owner = 0; owner < variant.owners.size(); ++owner) {
    const reach::Variant::PerOwner& mine = variant.owners[owner];
    if (mine.fixed == 0 && !mine.recollected) continue;
    rows.owners.push_back({.key = owners.NameOf(owner),
                           .first = static_cast<std::uint32_t>(rows.partners.size()),
                           .fixed = mine.fixed,
                           .recollected = mine.recollected});
    for (const reach::SendName& send : variant.PartnersOf(owner)) {
      rows.partners.push_back({.path = threads.NameOf(send.thread), .number = send.number});
    }
  }
  for (reach::Index thread = 0; thread < variant.old.size(); ++thread) {
    if (variant.old[thread] == 0) continue;
    rows.old.push_back({.path = threads.NameOf(thread), .count = variant.old[thread]});
  }
  std::sort(rows.owners.begin(), rows.owners.end(),
            [](const OwnerRow& a, const OwnerRow& b) { return a.key < b.key; });
  std::sort(rows.old.begin(), rows.old.end(),
            [](const OldRow& a, const OldRow& b) { return a.path < b.path; });
  rows.racy.assign(racy.begin(), racy.end());
  plan.data.clear();
  AppendRows<OwnerRow>(rows.owners, plan.data);
  AppendRows<PartnerRow>(rows.partners, plan.data);
  AppendRows<OldRow>(rows.old, plan.data);
  AppendRows<std::uint64_t>(rows.racy, plan.data);
}

void TakeVariant(const Plan& plan, VariantRows& rows) {
  std::span<const std::uint8_t> data = plan.data;
  TakeRows(data, rows.owners);
  TakeRows(data, rows.partners);
  TakeRows(data, rows.old);
  TakeRows(data, rows.racy);
  for (const OwnerRow& owner : rows.owners) {
    // A damaged plan is an empty one.
    if (owner.first + static_cast<std::size_t>(owner.fixed) > rows.partners.size()) rows = {};
    if (rows.owners.empty()) return;
  }
}

}  // namespace heddle
