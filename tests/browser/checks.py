"""What a reader does with the pages, each told as one check that raises when the page does something else."""

import time
import traceback
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect, sync_playwright

# An hour's page opens in 2 s on a machine with nothing else to do; a machine that builds at the same time takes longer.
OPEN_SECS = 6.0
HOSTILE = '<img src=x onerror="window.hacked=1">'


class Reader:
    """A window of the browser that remembers what went wrong in it and what it asked for."""

    def __init__(self, browser, report: Path):
        self.report, self.told, self.asked = report, [], []
        self.page: Page = browser.new_page(viewport={"width": 1400, "height": 1000})
        self.page.set_default_timeout(10_000)
        self.page.on("console", lambda m: self.told.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.told.append(f"page error: {e}"))
        self.page.on("request", lambda r: self.asked.append(r.url))

    def open(self, name: str) -> Page:
        self.page.goto("file://" + quote(str(self.report / name)))
        return self.page

    def interview(self, name: str) -> Page:
        page = self.open(f"interviews/{name}.html")
        expect(page.locator("#range")).to_contain_text(" to ")
        page.wait_for_timeout(150)
        return page


def chart(page: Page, place: int = 0):
    """Where a chart of the timeline is drawn; 0 is the lanes."""
    page.locator("#timeline .u-over").nth(place).scroll_into_view_if_needed()
    return page.locator("#timeline .u-over").nth(place).bounding_box()


def coloured(page: Page, place: int) -> int:
    """Points of a chart that are neither white nor grey nor empty."""
    return page.evaluate(
        """place => { const c = document.querySelectorAll('#timeline canvas')[place];
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;
        for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200 && Math.max(d[i], d[i+1], d[i+2]) - Math.min(d[i], d[i+1], d[i+2]) > 60) n++;
        return n; }""",
        place,
    )


def strip(page: Page, title: str) -> int:
    """The place of a signal's chart among all charts, drawn once it is in sight."""
    page.locator("#timeline .name b", has_text=title).first.scroll_into_view_if_needed() if page.locator("#timeline .name b", has_text=title).count() else page.mouse.wheel(0, 400)
    page.wait_for_timeout(200)
    names = page.locator("#timeline .chart:not(.lanes) .name b").all_inner_texts()
    return 1 + names.index(title)


def the_index_sorts_searches_and_leads_on(reader: Reader):
    page = reader.open("index.html")
    lines = page.locator("#list tbody tr")
    expect(lines).to_have_count(205)
    expect(page.locator("#summary")).to_contain_text("205 interviews, 203 done")
    page.get_by_role("button", name="Length").press("Enter")
    page.get_by_role("button", name="Length").press("Enter")
    assert lines.first.inner_text().startswith("hour"), lines.first.inner_text()
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Length")
    # What is not known comes last, whichever way.
    assert "failed" in lines.nth(204).inner_text() or "unreadable" in lines.nth(204).inner_text()
    page.get_by_label("Search").fill("corpus/01")
    expect(page.locator("#found")).to_have_text("10 of 205")
    page.get_by_label("Search").fill("EITHER kind")
    expect(page.locator("#found")).to_have_text("1 of 205")
    expect(page.locator("#list tbody tr:visible")).to_contain_text("media: no stream of <b>either</b> kind")
    page.get_by_label("Search").fill("")
    page.get_by_label("Show").select_option("not")
    expect(page.locator("#found")).to_have_text("2 of 205")
    page.get_by_label("Show").select_option("")
    page.get_by_role("link", name="ten minutes").press("Enter")
    expect(page.locator("#name")).to_have_text("ten minutes")
    page.get_by_role("link", name="All interviews").click()
    expect(page.locator("h1")).to_have_text("Interviews")


def the_timeline_draws(reader: Reader):
    page = reader.interview("ten minutes")
    assert coloured(page, 0) > 5_000, coloured(page, 0)
    smile = strip(page, "Smile (mouth corners)")
    assert coloured(page, smile) > 500, coloured(page, smile)
    for part in ("Ann", "voice 00 = Ann", "Two talk (voices)", "Floor transfers", "Interruptions", "Backchannels", "on screen P1 = Ann", "Warnings", "∅ voice"):
        assert page.locator(".lane-name", has_text=part).count(), part
    expect(page.locator("#binned")).to_contain_text("no peak is lost")


def what_lies_under_the_pointer_is_told(reader: Reader):
    page = reader.interview("ten minutes")
    box = chart(page)
    tip = page.locator("#tip")
    page.mouse.move(box["x"] + 2, box["y"] + 12)
    expect(tip).to_contain_text("Ann, turn 1")
    expect(tip).to_contain_text("turns.duration_secs (s)")
    missing = page.locator(".lane-name").all_inner_texts().index("∅ voice")
    page.mouse.move(box["x"] + 2, box["y"] + missing * 24 + 12)
    expect(tip).to_contain_text("no_stream")
    expect(tip).to_contain_text("Why the turn's voice columns")
    pitch = chart(page, strip(page, "Pitch"))
    page.mouse.move(pitch["x"] + pitch["width"] * 2.5 / 600, pitch["y"] + 20)
    expect(tip).to_contain_text("Hz")
    expect(tip).to_contain_text("Fundamental frequency")
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()


def it_zooms_by_drag_button_and_key(reader: Reader):
    page = reader.interview("ten minutes")
    shown = page.locator("#range")
    expect(shown).to_have_text("0:00.00 to 10:00.00")
    box = chart(page)
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 40, steps=5)
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40, steps=5)
    page.mouse.up()
    start, end = shown.inner_text().split(" to ")
    assert start.startswith(("2:29", "2:30")) and end.startswith(("4:59", "5:00")), (start, end)
    page.mouse.dblclick(box["x"] + 300, box["y"] + 40)
    expect(shown).to_have_text("0:00.00 to 10:00.00")
    page.get_by_role("button", name="Zoom in").click()
    assert shown.inner_text() != "0:00.00 to 10:00.00"
    page.locator("#timeline").focus()
    page.keyboard.press("0")
    expect(shown).to_have_text("0:00.00 to 10:00.00")
    page.keyboard.press("Home")
    page.keyboard.press("+")
    expect(shown).to_have_text("0:00.00 to 5:00.00")


def the_keyboard_reads_values_and_turns(reader: Reader):
    page = reader.interview("ten minutes")
    page.locator("#values summary").press("Enter")
    page.locator("#timeline").focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#cursor-time")).to_have_text("0:12.00")
    expect(page.locator("#said")).to_contain_text("0:12.00, " + HOSTILE + ": this is turn number 4")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cursor-time")).to_have_text("0:18.00")
    values = page.locator("#values-table")
    pitch = values.locator("tr", has=page.locator("th", has_text="Pitch"))
    expect(pitch).to_contain_text("Hz")
    expect(pitch).to_contain_text("Fundamental frequency")
    expect(values.locator("tr", has=page.locator("th", has_text="∅ voice"))).to_contain_text("low_quality")
    expect(page.locator("#transcript tr.now")).to_contain_text("turn number 5")
    # All that can be used can be reached, and has a name.
    nameless = page.evaluate("[...document.querySelectorAll('button, input, select, a, video, audio')].filter(n => !(n.innerText || n.title || n.getAttribute('aria-label') || (n.labels && n.labels.length))).map(n => n.outerHTML)")
    assert not nameless, nameless


def turns_are_searched_and_played(reader: Reader):
    page = reader.interview("ten minutes")
    page.locator("#search").fill("number 7")
    expect(page.locator("#found")).to_have_text("24 of 150 turns")
    page.locator("#search").fill("ann NUMBER 3")
    page.locator("#transcript tbody tr:visible button").first.press("Enter")
    page.wait_for_function("document.querySelector('#player audio').currentTime > 8.05")
    page.wait_for_function("document.querySelector('#player audio').paused")
    stopped = page.evaluate("document.querySelector('#player audio').currentTime")
    assert 11.4 < stopped < 12.5, stopped
    assert "/" in page.evaluate("document.querySelector('#player audio').getAttribute('src')")
    box = chart(page)
    page.mouse.click(box["x"] + box["width"] * 1.0 / 600, box["y"] + 12)
    page.wait_for_function("!document.querySelector('#player audio').paused && document.querySelector('#player audio').currentTime < 4")


def names_and_words_do_not_run(reader: Reader):
    page = reader.interview("ten minutes")
    expect(page.locator("#transcript")).to_contain_text("</script><script>window.hacked=1</script>")
    expect(page.locator("#pairs")).to_contain_text(HOSTILE)
    assert page.evaluate("window.hacked === undefined")
    # Even a script that got into the page would not run, and nothing can be fetched.
    page.evaluate("() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 2'; document.body.append(s); }")
    assert page.evaluate("window.hacked === undefined")
    assert page.evaluate("fetch('index.html').then(() => 'fetched', () => 'refused')") == "refused"
    reader.told.clear()


def pairs_speakers_and_synchrony_are_told(reader: Reader):
    page = reader.interview("ten minutes")
    smiles = page.locator(".matrices > div", has=page.locator("h3", has_text="smiles at"))
    expect(smiles.locator("tbody tr").first).to_contain_text("of 7")
    page.get_by_label("Column of turns").select_option(label="pitch median semitones")
    expect(page.locator("#spread")).to_contain_text("too short ×1")
    assert page.locator("#spread canvas").count() == 1
    assert page.locator("#synchrony canvas").count() == 1
    expect(page.locator("#synchrony")).to_contain_text("surrogates")


def what_failed_says_why(reader: Reader):
    page = reader.open("interviews/sub/failed.html")
    expect(page.get_by_role("alert")).to_contain_text("no stream of <b>either</b> kind")
    expect(page.locator("#timeline-part")).to_be_hidden()
    page.get_by_role("link", name="All interviews").click()
    expect(page.locator("h1")).to_have_text("Interviews")
    expect(reader.interview("damaged").get_by_role("alert")).to_contain_text("faces/damaged.parquet")


def an_hour_opens_soon(reader: Reader):
    begun = time.monotonic()
    page = reader.interview("hour")
    opened = time.monotonic() - begun
    print(f"browser: an hour opens in {opened:.2f} s", flush=True)
    assert opened < OPEN_SECS, opened
    assert coloured(page, 0) > 5_000


def it_fits_paper_and_small_screens(reader: Reader):
    page = reader.interview("ten minutes")
    page.emulate_media(media="print")
    expect(page.locator(".controls").first).to_be_hidden()
    assert page.locator("#transcript").evaluate("n => n.scrollHeight <= n.clientHeight + 2")
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 420, "height": 800})
    for name in ("interviews/ten minutes.html", "index.html"):
        reader.open(name)
        page.wait_for_timeout(200)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 425, (name, wide)
    page.set_viewport_size({"width": 1400, "height": 1000})


ALL = [
    the_index_sorts_searches_and_leads_on,
    the_timeline_draws,
    what_lies_under_the_pointer_is_told,
    it_zooms_by_drag_button_and_key,
    the_keyboard_reads_values_and_turns,
    turns_are_searched_and_played,
    names_and_words_do_not_run,
    pairs_speakers_and_synchrony_are_told,
    what_failed_says_why,
    an_hour_opens_soon,
    it_fits_paper_and_small_screens,
]


def run(report: Path, chromium: str, screenshots: Path | None) -> list[str]:
    """The failed checks, each with its reason."""
    failures = []
    with sync_playwright() as driver:
        # Root in a container has no sandbox of Chromium's; the pages are our own.
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        for check in ALL:
            reader = Reader(browser, report)
            try:
                check(reader)
                foreign = [url for url in reader.asked if not url.startswith(("file://", "blob:", "data:"))]
                assert not reader.told, reader.told
                assert not foreign, foreign
            except Exception as error:
                line = traceback.extract_tb(error.__traceback__)
                here = [f.lineno for f in line if f.filename == __file__]
                failures.append(f"{check.__name__} (line {here[-1] if here else '?'}): {str(error)[:600]}")
            reader.page.close()
        if screenshots:
            screenshots.mkdir(parents=True, exist_ok=True)
            reader = Reader(browser, report)
            for name, file in (("index.html", "index"), ("interviews/ten minutes.html", "interview"), ("interviews/sub/failed.html", "failed")):
                page = reader.open(name)
                page.wait_for_timeout(500)
                page.screenshot(path=screenshots / f"{file}.png")
            page = reader.interview("ten minutes")
            page.evaluate("document.querySelector('#timeline').scrollIntoView()")
            page.wait_for_timeout(500)
            page.screenshot(path=screenshots / "timeline.png")
            page.evaluate("document.querySelector('#pairs-part').scrollIntoView()")
            page.screenshot(path=screenshots / "pairs.png")
        browser.close()
    return failures
