"""The torture harness' own rules, where a fault of theirs would let the program's faults pass."""

import sys
import unittest
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "torture"))

import mutants
import originals


class Torture(unittest.TestCase):
    def test_a_seed_gives_the_same_mutants(self):
        data = originals.transcripts()[0].data()
        every = {f for f in mutants.OF_BYTES + mutants.OF_LINES}
        for operator in every:
            made = [operator(data, Random(seed)) for seed in range(20)]
            self.assertEqual(made, [operator(data, Random(seed)) for seed in range(20)], operator.__name__)
            self.assertTrue(any(m != data for m in made), operator.__name__)
            operator(b"", Random(1))

    def test_a_cut_between_cues_is_told_from_one_inside(self):
        plain = {o.name: o for o in originals.transcripts()}
        srt = plain["cues.srt"]
        whole = len("".join(srt.blocks[:3]).encode())
        inside, at_edge = (whole - 3, whole + 1), (0, whole - 2, whole - 1, whole)
        for size, between in [(n, False) for n in inside] + [(n, True) for n in at_edge]:
            self.assertEqual(srt.cut_is_between(size), between, srt.data()[:size][-30:])
        # A mark of the end makes any cut one that can be told.
        chat = plain["talk.cha"]
        self.assertFalse(chat.cut_is_between(len((chat.head + chat.blocks[0]).encode())))


if __name__ == "__main__":
    unittest.main()
