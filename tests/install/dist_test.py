"""The tarball and the Debian package in a Debian of nothing else, made once by debootstrap: no FFmpeg, no compiler, no
Python. Needs root."""

import os
import shutil
import unittest
from pathlib import Path

import place
from own_python import cache
from place import MODELS, SAMPLE, run

RELEASE = "bookworm"
INSIDE = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def clean_root() -> Path:
    """A minimal Debian in the cache."""
    root = cache() / f"clean-{RELEASE}"
    if not (root / "complete").exists():
        if not shutil.which("debootstrap"):
            run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"])
        shutil.rmtree(root, ignore_errors=True)
        print(f"making a Debian in {root} (once) ...", flush=True)
        run(["debootstrap", "--variant=minbase", RELEASE, root])
        (root / "complete").touch()
    return root


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.getuid() != 0:
            raise AssertionError("run this as root: it makes a root of its own")
        cls.root = clean_root()
        cls.clean()
        cls.addClassCleanup(cls.clean)
        work = cls.root / "work"
        shutil.copytree(SAMPLE / "media", work / "media")
        shutil.copy(SAMPLE / "corpus.csv", work)
        shutil.copytree(MODELS, work / "models")
        for pattern in ("turnwise-*.tar.gz", "turnwise_*.deb"):
            shutil.copy(place.package(pattern), work)

    @classmethod
    def clean(cls):
        """What an earlier run left."""
        for name in ("work", "opt/turnwise", "usr/local/bin/turnwise", "root/.local"):
            cls.remove(cls.root / name)

    @staticmethod
    def remove(path: Path):
        path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)

    def setUp(self):
        # What one test installed is not there for the next.
        for name in ("opt/turnwise", "usr/local/bin/turnwise", "root/.local"):
            self.remove(self.root / name)

    def inside(self, script: str, code: int = 0) -> str:
        """Runs in the root, with processes of its own."""
        command = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc", "chroot", self.root]
        return run([*command, "/bin/sh", "-euc", f"cd /work\n{script}"], INSIDE, code=code)

    def test_nothing_of_use_is_in_the_root(self):
        told = self.inside("ldconfig -p | grep -c libav || true; command -v python3 cc gcc cargo ffmpeg || echo none")
        self.assertEqual(told.split(), ["0", "none"])

    def test_the_tarball(self):
        self.inside("mkdir /opt/turnwise && tar xzf turnwise-*.tar.gz --strip-components=1 -C /opt/turnwise")
        self.inside("ln -s /opt/turnwise/bin/turnwise /usr/local/bin/turnwise")
        told = self.inside("/usr/local/bin/turnwise doctor", code=1)
        self.assertIn("MISSING", told)
        told = self.inside("/usr/local/bin/turnwise models fetch", code=1)
        self.assertIn("no python3 here", told)
        # Beside the real program, found through the link.
        self.inside("mkdir -p /opt/turnwise/share/turnwise && cp -r models /opt/turnwise/share/turnwise/models")
        self.extracts("/usr/local/bin/turnwise", "/opt/turnwise/share/turnwise/models", "tarball")
        for name in ("NOTICE", "COPYING.LGPLv2.1", "THIRD-PARTY-LICENSES.md"):
            self.assertTrue((self.root / "opt/turnwise/share/doc/turnwise" / name).is_file())
        self.assertTrue((self.root / "opt/turnwise/share/man/man1/turnwise-extract.1").is_file())

    def test_the_package_of_debian(self):
        self.inside("dpkg -i turnwise_*.deb")
        self.addCleanup(self.inside, "dpkg -P turnwise")
        self.inside("mkdir -p /root/.local/share/turnwise && cp -r models /root/.local/share/turnwise/models")
        self.extracts("turnwise", "/root/.local/share/turnwise/models", "deb")
        listed = self.inside("dpkg -L turnwise")
        for name in ("man1/turnwise.1.gz", "bash-completion/completions/turnwise", "doc/turnwise/copyright"):
            self.assertIn(name, listed)

    def extracts(self, program, models, out):
        self.assertIn(f"present in {models}\n", self.inside(f"{program} doctor"))
        told = self.inside(f"{program} extract corpus.csv --out {out} --jobs 1")
        self.assertIn("2 done", told)
        self.assertTrue((self.root / "work" / out / "turns/ted_talk.parquet").is_file())


if __name__ == "__main__":
    unittest.main()
