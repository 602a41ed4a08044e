"""Clones that share a target directory: what one has built is never taken for the other's."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENTRIES = ["src/lib.rs", "src/main.rs", "tests/main.rs", "benches/floor.rs"]


class SharedTarget(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def clone(self, name: str) -> Path:
        clone = self.folder / name
        for entry in ENTRIES:
            (clone / entry).parent.mkdir(parents=True, exist_ok=True)
            (clone / entry).touch()
            os.utime(clone / entry, (1, 1))
        shutil.copy(ROOT / "Makefile", clone)
        return clone

    def ages(self, clone: Path) -> list[bool]:
        """Runs `make target`, and tells of each entry whether it is newer than it was."""
        for entry in ENTRIES:
            os.utime(clone / entry, (1, 1))
        environment = {k: v for k, v in os.environ.items() if k not in ("CARGO_TARGET_DIR", "MAKEFLAGS", "MAKELEVEL")}
        environment |= {"TURNWISE_CACHE": str(self.folder / "cache"), "PWD": str(clone)}
        subprocess.run(["make", "-s", "target"], cwd=clone, env=environment, check=True, capture_output=True)
        self.assertTrue((clone / "target").resolve() == (self.folder / "cache/target").resolve())
        return [(clone / entry).stat().st_mtime > 1 for entry in ENTRIES]

    def test_a_clone_after_another_is_built_anew_and_alone_is_not(self):
        first, second = self.clone("first"), self.clone("second")
        self.assertEqual(self.ages(first), [True] * 4)
        self.assertEqual(self.ages(first), [False] * 4)
        self.assertEqual(self.ages(second), [True] * 4)
        self.assertEqual(self.ages(second), [False] * 4)
        self.assertEqual(self.ages(first), [True] * 4)

    def test_every_target_of_the_manifest_is_an_entry(self):
        manifest = (ROOT / "Cargo.toml").read_text()
        self.assertTrue(all(f'path = "{entry}"' in manifest or (ROOT / entry).exists() for entry in ENTRIES))
        self.assertFalse((ROOT / "build.rs").exists(), "a build script is an entry too")
        benches = {f"benches/{path.name}" for path in (ROOT / "benches").glob("*.rs")}
        self.assertTrue({e for e in ENTRIES if e.startswith("benches")} <= benches, benches)


if __name__ == "__main__":
    unittest.main()
