"""Better BibTeX exports of a library: BibLaTeX, and its own JSON."""

from __future__ import annotations

import json

BIBLATEX = r"""
@article{exampleLampsThatCount2020,
  title = {Lamps {{That Count Moths}}: {{A Study}} of {{LED}} Lamps},
  shorttitle = {Lamps {{That Count Moths}}},
  author = {Example, Ann and M{\"u}ller, J{\"o}rg and {Society for Moths} and others},
  date = {2020-03-24},
  journaltitle = {Journal of Lamps \& Weights},
  shortjournal = {J. Lamps},
  volume = {7},
  number = {2},
  pages = {1--12},
  issn = {1234-5678},
  doi = {10.5555/lamp_2020},
  url = {https://example.org/lamps?a=1\&b=2},
  urldate = {2023-01-05},
  abstract = {Moths are counted by hand. We count 7.7\% more of them with a lamp; $n=5$ lamps.

The lamp is right for nine moths in ten.},
  langid = {english},
  keywords = {insects,to-read,{lamps, electric}},
  annotation = {Comment: 16 pages},
  file = {/home/ann/Zotero/storage/ABCD1234/Example et al. - 2020 - Lamps.pdf;C\:\\Users\\a.html}
}

@inproceedings{beethovenFens2021,
  title = {Moths of the {{Fens}} and \emph{their} Names},
  booktitle = {Proceedings of the 5th {{Annual Meeting}} on {{Moths}}},
  author = {family=Beethoven, given=Ludwig, prefix=van, useprefix=true and Other, Ben},
  editor = {Smith, Ann},
  date = {2021-07-05/2021-07-10},
  eprint = {2105.01234},
  eprinttype = {arxiv},
  eprintclass = {cs},
  eventtitle = {Moths 2021},
  keywords = {},
  pubstate = {prepublished}
}

@book{goghMotten1999,
  title = {Bücher über Motten},
  author = {family=Gogh, given=Vincent, prefix=van, useprefix=false},
  date = {1999},
  ids = {alias2000},
  publisher = {Verlag}
}

@thesis{oneilWeight2010,
  type = {PhD},
  title = {The Weight of Moths in Kent},
  author = {O'Neil, {Mary Ann}},
  date = {2010/2011},
  institution = {University of Kent}
}

@comment{jabref-meta: databaseType:biblatex;}
"""

JSON = json.dumps(
    {
        "config": {"label": "BetterBibTeX JSON", "options": {"exportNotes": True}},
        "version": {"zotero": "7.0.11", "bbt": "7.0.20"},
        "collections": {"ABCD1234": {"key": "ABCD1234", "name": "Moths", "items": [1]}},
        "items": [
            {
                "itemID": 1,
                "itemKey": "K1",
                "itemType": "journalArticle",
                "title": "Lamps That Count <i>Moths</i>",
                "abstractNote": "Moths are counted by hand. We count them with a lamp.",
                "publicationTitle": "Journal of Lamps",
                "date": "2020-03-24",
                "DOI": "10.5555/lamp",
                "citationKey": "exampleLamps2020",
                "creators": [
                    {"creatorType": "author", "firstName": "Ann", "lastName": "Example"},
                    {"creatorType": "author", "name": "Society for Moths"},
                ],
                "tags": [{"tag": "insects"}, {"tag": "to read", "type": 1}],
                "notes": [{"note": "<p>Ask <b>Ben</b>.</p>"}],
                "attachments": [{"itemType": "attachment", "path": "/home/ann/lamps.pdf"}],
            },
            {"itemID": 2, "itemType": "webpage", "title": "Moths - Wikipedia"},
            {
                "itemID": 3,
                "itemType": "preprint",
                "title": "Moths of the Fens",
                "archiveID": "arXiv:2105.01234",
                "creators": [],
            },
        ],
    }
)
