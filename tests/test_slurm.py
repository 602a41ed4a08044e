"""The scripts for Slurm and the recipe of the image: `python3 -m unittest discover -s tests`."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from pipeline_tools import python_with_ray

SLURM = ROOT / "pipelines/slurm"


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        # Programs that tell what they were called with.
        for name in ("sbatch", "turnwise"):
            (self.root / name).write_text(
                f'#!/bin/bash\nprintf "%s\\n" {name} "$@"\necho "shards=${{TURNWISE_SHARDS:-}}"\nexit "${{CODE:-0}}"\n'
            )
            (self.root / name).chmod(0o755)

    def call(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "TURNWISE", "SBATCH"))}
        path = f"{self.root}:{os.environ['PATH']}"
        every = {**clean, "PATH": path, **environment}
        return subprocess.run(["bash", SLURM / script, *arguments], capture_output=True, text=True, env=every)

    def test_an_array_has_as_many_tasks_as_shards(self):
        told = self.call("submit.sh", "8", "my corpus.csv", "out", "--set", "a=b c", SBATCH_OPTS="--mem=8G -p long")
        expected = ["sbatch", "--export=ALL", "--array=1-8", "--mem=8G", "-p", "long", str(SLURM / "extract.sbatch")]
        expected += ["my corpus.csv", "out", "--set", "a=b c", "shards=8"]
        self.assertEqual((told.returncode, told.stdout.splitlines()), (0, expected), told.stderr)
        for wrong in (["0", "c.csv", "out"], ["c.csv", "out"], ["2", "c.csv"]):
            told = self.call("submit.sh", *wrong)
            self.assertEqual((told.returncode, told.stdout), (2, ""))

    def test_a_task_does_its_shard_and_gives_its_code_back(self):
        task = {"TURNWISE_SHARDS": "8", "SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "5", "CODE": "1"}
        # Of an array that is sent again in part.
        told = self.call("extract.sbatch", "my corpus.csv", "out", "--set", "a=b c", SLURM_ARRAY_TASK_COUNT="2", **task)
        expected = ["turnwise", "extract", "my corpus.csv", "--shard", "3/8", "--out", "out", "--jobs", "3"]
        expected += ["--set", "a=b c"]
        self.assertEqual((told.returncode, told.stdout.splitlines()[:-1]), (1, expected), told.stderr)
        for missing in ("TURNWISE_SHARDS", "SLURM_ARRAY_TASK_ID"):
            told = self.call("extract.sbatch", "c.csv", "out", **{k: v for k, v in task.items() if k != missing})
            self.assertNotEqual(told.returncode, 0)
            self.assertIn("start with submit.sh", told.stderr)
            self.assertEqual(told.stdout, "")

    def test_linters_have_no_objection(self):
        bin = Path(python_with_ray()).parent
        scripts = sorted([*SLURM.glob("*.sh"), *SLURM.glob("*.sbatch")])
        self.assertEqual(len(scripts), 2)
        for command in (["shellcheck", *scripts], ["hadolint", ROOT / "pipelines/container/Dockerfile"]):
            done = subprocess.run([bin / command[0], *command[1:]], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
