import json

from hypothesis import given
from hypothesis import strategies as st

from edge_dns.cli.json_text import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=5))
def test_the_text_holds_exactly_the_document(document: dict[str, object]) -> None:
    text = json_text(document)
    assert json.loads(text) == document
    assert text.isascii()


def test_each_entry_of_a_list_has_a_line_of_its_own() -> None:
    document = {"version": 1, "records": [{"name": "a", "values": [1, 2]}, {"name": "b", "values": []}], "errors": []}
    assert json_text(document).splitlines() == [
        "{",
        '  "version": 1,',
        '  "records": [',
        '    {"name": "a", "values": [1, 2]},',
        '    {"name": "b", "values": []}',
        "  ],",
        '  "errors": []',
        "}",
    ]
