"""Checks the links of a built site: every page, picture and anchor is there, and nothing is loaded from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself.
LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}


class Page(HTMLParser):
    """The anchors of a page and its links as (tag, attribute, target)."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src", "data") and value and (name != "data" or tag == "object"):
                self.links.append((tag, name, value))


def check(site: Path) -> tuple[list[str], int, set[str]]:
    """Broken links with their pages, how many links of the site were looked at, and the addresses elsewhere."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    broken, looked, elsewhere = [], 0, set()
    for path, page in pages.items():
        place = path.relative_to(site)
        for tag, name, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme in ("http", "https") or parts.netloc:
                    elsewhere.add(link)
                    if (tag, name) in LOADS:
                        broken.append(f"{place}: {tag} is loaded from elsewhere: {link}")
                continue
            looked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            # The page of a missing address may be shown from any depth: its links begin at the site's root.
            if parts.path.startswith("/"):
                target = site / unquote(parts.path).lstrip("/")
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file():
                broken.append(f"{place}: there is no {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{place}: {link} has no such anchor")
    for sheet in sorted(site.rglob("*.css")):
        if "url(http" in (text := sheet.read_text()).replace('"', "").replace("'", "") or "@import" in text:
            broken.append(f"{sheet.relative_to(site)}: loads something from elsewhere")
    return broken, looked, elsewhere
