"""Shows the requirement tables with what stands of each row."""

from sphinx import application

from tools.trace import load
from tools.trace import markdown

PAGES = "requirements/"


def setup(app: application.Sphinx) -> dict[str, bool]:
    """Have Sphinx ask us about each page it reads."""
    trace = load.load()

    def add_status(_app: application.Sphinx, page: str,
                   content: list[str]) -> None:
        if page == f"{PAGES}index":
            content[0] = content[0].replace("|summary|", trace.summary())
        elif page.startswith(PAGES):
            content[0] = "\n".join(markdown.with_status(
                content[0], page.removeprefix(PAGES), trace))

    app.connect("source-read", add_status)
    return {"parallel_read_safe": True}
