"""A summary as a forge shows it: its Markdown rendered to HTML, and the HTML read as blocks."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

_BLOCKS = frozenset({"h2", "h3", "p", "pre", "table"})
_INSIDE = frozenset({"strong", "code", "br", "thead", "tbody", "tr", "th", "td"})


@dataclass(slots=True)
class Block:
    """A heading, paragraph or `pre` with its text, or a table with its rows, the head first."""

    tag: str
    text: str = ""
    language: str = ""
    rows: list[list[str]] = field(default_factory=list)


def blocks(markdown: str) -> list[Block]:
    """Return the blocks of the page; any other element, or one that is not closed, is an AssertionError."""
    page = _Page()
    page.feed(MarkdownIt("commonmark").enable("table").render(markdown))
    page.close()
    assert page.open == []
    return page.blocks


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.handle_data(" ")
            return
        if tag in _BLOCKS:
            assert self.open == [], f"<{tag}> inside of <{self.open}>"
            self.blocks.append(Block(tag))
        assert tag in _BLOCKS | _INSIDE, f"<{tag}> in the page"
        self.open.append(tag)
        language = dict(attrs).pop("class", None)
        assert {name for name, _ in attrs} <= {"class"}
        if language:
            self.blocks[-1].language = language.removeprefix("language-")
        if tag == "tr":
            self.blocks[-1].rows.append([])
        if tag in {"th", "td"}:
            self.blocks[-1].rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"table", "thead", "tbody", "tr"}:
            assert not data.strip()
        elif "table" in self.open:
            self.blocks[-1].rows[-1][-1] += data
        elif self.open:
            self.blocks[-1].text += data
        else:
            assert not data.strip(), f"text outside of every block: {data!r}"
