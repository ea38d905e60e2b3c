"""Catch2 version 3, of which Debian 12 has only version 2: taken from its backports, into a directory of the test's own.

Nothing is installed and the machine's package lists stay as they are.
"""
import fcntl
import glob
import os
import subprocess


def archive():
    """Where this machine's packages come from, and for which release; None if it is no Debian."""
    targets = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    for line in targets.splitlines():
        uri, _, codename = line.partition(" ")
        if codename and "-" not in codename:
            return uri, codename
    return None


def fetch(scratch):
    """A directory with include/ and lib/ of version 3; None if it can't be had here."""
    if os.path.exists("/usr/include/catch2/catch_test_macros.hpp"):
        return "/usr"
    root = os.path.join(scratch, "catch2-3")
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may be fetching it
        return fetch_into(root)


def fetch_into(root):
    found = os.path.join(root, "usr")
    if os.path.exists(os.path.join(found, "lib", "libCatch2.a")):
        return found
    try:
        source = archive()
    except FileNotFoundError:
        return None
    if source is None:
        return None
    for directory in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(root, directory), exist_ok=True)
    with open(os.path.join(root, "sources.list"), "w", encoding="utf-8") as out:
        out.write(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {source[0]} {source[1]}-backports main\n")
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={root}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", f"Dir::State::Lists={root}/lists", "-o", f"Dir::Cache={root}/cache"]
    for command in (apt + ["update"], apt + ["download", "libcatch2-dev"]):
        if subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=120, check=False).returncode != 0:
            return None
    for package in glob.glob(os.path.join(root, "libcatch2-dev_3*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        return found
    return None


def options(directory):
    """For the compiler."""
    return [f"-isystem{directory}/include", f"-L{directory}/lib", "-lCatch2Main", "-lCatch2"]
