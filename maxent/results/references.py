"""Papers that methods and measures come from, and this package, as BibTeX and as items of a bibliography."""

import re
from collections.abc import Iterable

import maxent

PACKAGE, METHOD = "maxent", "aslam2005"
KEYS = {
    "xGAP paper": "ferrante2014",
    "muAP paper": "scheel2011",
    "GAP paper": "robertson2010",
    "Kishida": "kishida2005",
    "MacArthur 1957": "macarthur1957",
    "Chapelle et al. 2009": "chapelle2009",
    "Moffat and Zobel 2008": "moffat2008",
    "Buckley and Voorhees 2004": "buckley2004",
}
"""Keys of papers by the names that the sources of measures have for them."""
BIBTEX = """\
@software{maxent,
  title = {maxent: how informative is a retrieval effectiveness measure?},
  author = {{The maxent authors}},
  version = {VERSION},
  year = {2026},
  url = {https://github.com/maxent-ir/maxent},
}
@inproceedings{aslam2005,
  title = {The Maximum Entropy Method for Analyzing Retrieval Measures},
  author = {Aslam, Javed A. and Yilmaz, Emine and Pavlu, Virgiliu},
  booktitle = {Proceedings of SIGIR 2005},
  year = {2005},
}
@inproceedings{robertson2010,
  title = {Extending Average Precision to Graded Relevance Judgments},
  author = {Robertson, Stephen E. and Kanoulas, Evangelos and Yilmaz, Emine},
  booktitle = {Proceedings of SIGIR 2010},
  year = {2010},
}
@inproceedings{ferrante2014,
  title = {Rethinking How to Extend Average Precision to Graded Relevance},
  author = {Ferrante, Marco and Ferro, Nicola and Maistro, Maria},
  booktitle = {Proceedings of CLEF 2014},
  year = {2014},
}
@inproceedings{scheel2011,
  title = {Performance Measures for Multi-Graded Relevance},
  author = {Scheel, Christian and Lommatzsch, Andreas and Albayrak, Sahin},
  booktitle = {CEUR Workshop Proceedings 781},
  year = {2011},
}
@techreport{kishida2005,
  title = {Property of Average Precision and its Generalization},
  author = {Kishida, Kazuaki},
  institution = {National Institute of Informatics},
  number = {NII-2005-014E},
  year = {2005},
}
@article{macarthur1957,
  title = {On the Relative Abundance of Bird Species},
  author = {MacArthur, Robert H.},
  journal = {Proceedings of the National Academy of Sciences 43},
  year = {1957},
}
@inproceedings{chapelle2009,
  title = {Expected Reciprocal Rank for Graded Relevance},
  author = {Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre},
  booktitle = {Proceedings of CIKM 2009},
  year = {2009},
}
@article{moffat2008,
  title = {Rank-Biased Precision for Measurement of Retrieval Effectiveness},
  author = {Moffat, Alistair and Zobel, Justin},
  journal = {ACM Transactions on Information Systems 27},
  year = {2008},
}
@inproceedings{buckley2004,
  title = {Retrieval Evaluation with Incomplete Information},
  author = {Buckley, Chris and Voorhees, Ellen M.},
  booktitle = {Proceedings of SIGIR 2004},
  year = {2004},
}
"""
ENTRIES: dict[str, str] = {
    re.findall(r"{(\w+),", entry)[0]: entry for entry in re.findall(r"^@.*?^}$", BIBTEX, re.M | re.S)
}
"""BibTeX entries by key; VERSION stands for that of this package."""
PLACES = ("booktitle", "journal", "institution", "number", "version", "year", "url")  # in the order of an item


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX entries of papers."""
    return "".join(f"{_entry(key)}\n" for key in keys)


def _entry(key: str) -> str:
    """A BibTeX entry; while files are imported, the version of this package is not yet known."""
    return ENTRIES[key].replace("VERSION", str(maxent.__version__))


def bibliography_item(key: str) -> str:
    r"""A paper as a ``\bibitem`` of LaTeX: last names, title, and where it appeared."""
    fields = dict(re.findall(r"^  (\w+) = {(.*)},$", _entry(key), re.M))
    names = [name.strip("{}").partition(",")[0] for name in fields["author"].split(" and ")]
    authors = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    places = [fields[name] for name in PLACES if name in fields]
    if "booktitle" in fields and fields["year"] in fields["booktitle"]:
        places.remove(fields["year"])
    return rf"\bibitem{{{key}}} {authors}. {fields['title'].rstrip('?')}. {', '.join(places)}."
