"""The site: pages of the whole repository as they stand there, so that links between them work in both places.

``nox -s docs`` builds it. The source folder is the root of the repository, this folder has the configuration:
``sphinx-build -c docs . build/site``. What is not committed is made here: the pages of the command line and of the
names of the package (``extensions/reference.py``). Nothing is loaded from the network, neither now nor by a reader.
"""

import shutil
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

project, author = "maxent", "The maxent authors"
project_copyright = author
version = release = version_of("maxent")
extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mathml",
    "reference",
]
root_doc = "docs/index"
include_patterns = [
    *("docs/**", "notebooks/*", "analyses/README.md", "benchmarks/README.md"),
    *("CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md"),
]
exclude_patterns = ["**/.*", "build", "dist", "docs/README.md", "docs/templates"]  # index.md takes in README.md
templates_path = [str(HERE / "templates")]  # autosummary would look in the source folder, others here
nitpicky = True

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3  # links to headings, as GitHub makes them
myst_update_mathjax = False
html_math_renderer = "mathml"

nb_execution_mode = "off"  # notebooks are kept with their outputs, which the tests compare with those of a run
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # they would come from the network
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]

autosummary_ignore_module_all = False
autodoc_mock_imports = ["torch"]  # gigabytes, for the docstrings of one module
autodoc_typehints = "none"  # docstrings name types in words
napoleon_use_param = napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # not as entries of their own, which members are

html_theme = "pydata_sphinx_theme"
html_title = f"maxent {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]  # the front page is docs/index.html, where the root leads
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"**": ["all_pages"]}
html_theme_options = {
    "github_url": "https://github.com/maxent-ir/maxent",
    "navbar_center": [],  # all pages are on the left
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc", "download"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
}


def setup(app: object) -> None:
    """Show measures such as nDCG@10 as text, not as addresses of mail, and offer notebooks as files."""

    def without_mail(_: object, doctree: nodes.document) -> None:
        for reference in list(doctree.findall(nodes.reference)):
            if reference.get("refuri", "").startswith("mailto:"):
                reference.replace_self(reference.children)

    def copy_notebooks(sphinx: object, _: object) -> None:
        for path in (HERE.parent / "notebooks").glob("*.ipynb"):
            shutil.copy(path, Path(sphinx.outdir, "notebooks"))  # type: ignore[attr-defined]

    app.connect("doctree-read", without_mail)  # type: ignore[attr-defined]
    app.connect("build-finished", copy_notebooks)  # type: ignore[attr-defined]
