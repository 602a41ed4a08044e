"""Counts of one part, and the unsound cases kept with their input."""

import shutil
from pathlib import Path


class Tally:
    """Sound and unsound cases of one part."""

    def __init__(self, name: str, keep: Path):
        self.name, self.keep = name, keep
        self.passed, self.failed, self.notes = 0, 0, {}

    def note(self, what: str) -> None:
        """Counts something worth telling, such as how many were done and how many refused."""
        self.notes[what] = self.notes.get(what, 0) + 1

    def case(self, name: str, faults: list[str], files: list[Path] = (), told: str = "") -> None:
        """One case: sound without faults, else told, and its files kept."""
        if not faults:
            self.passed += 1
            return
        self.failed += 1
        folder = self.keep / self.name / name.replace("/", "_").replace(" ", "_")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "why.txt").write_text("\n".join([name, told, *faults]) + "\n", errors="replace")
        for file in files:
            # Devices, pipes and files of holes cannot be copied.
            if file.is_file() and file.stat().st_blocks * 512 < 8 << 20 and file.stat().st_size < 64 << 20:
                shutil.copy(file, folder / file.name)
        print(f"UNSOUND {self.name} {name}: {'; '.join(faults)[:600]}", flush=True)

    def line(self) -> str:
        notes = ", ".join(f"{count} {what}" for what, count in sorted(self.notes.items()))
        return f"{self.name} {self.passed} of {self.passed + self.failed} sound" + (f" ({notes})" if notes else "")
