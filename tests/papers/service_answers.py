"""Answers of the paper services, as documented."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

from scholar_indexes.papers.entry import Entry, UnreadableEntry

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?id_list=2105.01234" rel="self" type="text/xml"/>
  <title type="html">ArXiv Query: search_query=&amp;id_list=2105.01234,cs/0105012</title>
  <id>http://arxiv.org/api/abc</id>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">2</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2105.01234v2</id>
    <updated>2021-06-01T10:00:00Z</updated>
    <published>2021-05-03T09:30:00Z</published>
    <title>Counting Tides by Ear:
  Hydrophones as Cheap Gauges</title>
    <summary>  We hang a microphone under a pier. The error is $\\leq 9$ cm, at 5% of
the cost &amp; in three harbours.
    </summary>
    <author><name>Ada Example</name><arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Town</arxiv:affiliation></author>
    <author><name>Laurens van der Other</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1234/Tides.21</arxiv:doi>
    <journal_ref xmlns="http://arxiv.org/schemas/atom">J. Tides 3 (2021) 1-9</journal_ref>
    <link href="http://arxiv.org/abs/2105.01234v2" rel="alternate" type="text/html"/>
    <category term="cs.SD" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/cs/0105012v1</id>
    <published>2001-05-03T09:30:00Z</published>
    <title>An Older Paper About Tides</title>
    <summary>It says little.</summary>
    <author><name>Plato</name></author>
  </entry>
</feed>
"""

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.1234/Tides.21",
    "title": "Counting <i>Tides</i> by Ear",
    "display_name": "Counting Tides by Ear",
    "publication_year": 2021,
    "publication_date": "2021-05-03",
    "ids": {
        "openalex": "https://openalex.org/W2741809807",
        "doi": "https://doi.org/10.1234/tides.21",
        "mag": "2741809807",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/29456894",
    },
    "language": "en",
    "primary_location": {
        "landing_page_url": "https://doi.org/10.1234/tides.21",
        "source": {
            "id": "https://openalex.org/S1",
            "display_name": "Journal of Tides",
            "type": "journal",
            "host_organization_name": "Harbour Press",
        },
    },
    "locations": [
        {"landing_page_url": "https://doi.org/10.1234/tides.21"},
        {"landing_page_url": "https://arxiv.org/abs/2105.01234", "source": None},
    ],
    "type": "article",
    "biblio": {"volume": "3", "issue": None, "first_page": "1", "last_page": "9"},
    "authorships": [
        {"author_position": "first", "author": {"id": "A1", "display_name": "Ada Example"}},
        {"author": {"display_name": None}, "raw_author_name": "Ben Other"},
    ],
    "referenced_works": ["https://openalex.org/W1000001", "https://openalex.org/W1000002"],
    "abstract_inverted_index": {
        "We": [0],
        "hang": [1],
        "a": [2, 8],
        "microphone.": [3],
        "The": [4, 7],
        "tide": [5],
        "hums.": [6],
        "pier": [9],
        "listens.": [10],
    },
}

S2_PAPER: dict[str, Any] = {
    "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
    "externalIds": {
        "DOI": "10.1234/TIDES.21",
        "ArXiv": "2105.01234",
        "CorpusId": 215416146,
        "MAG": "3015453090",
        "PubMed": "29456894",
        "DBLP": "conf/tides/ExampleO21",
    },
    "title": "Counting Tides by Ear",
    "abstract": "We hang a microphone. The tide hums.",
    "venue": "Conference on Tides",
    "year": 2021,
    "publicationDate": "2021-05-03",
    "publicationTypes": ["Conference", "Review"],
    "journal": {"name": "ArXiv", "volume": "abs/2105.01234", "pages": "1-9"},
    "authors": [{"authorId": "17411", "name": "Ada Example"}, {"authorId": None, "name": "Plato"}],
}

CROSSREF: dict[str, Any] = {
    "DOI": "10.1234/tides.21",
    "type": "journal-article",
    "title": ["Counting <i>Tides</i> by Ear &amp; Eye"],
    "subtitle": ["Hydrophones as Cheap Gauges"],
    "container-title": ["Journal of Tides"],
    "publisher": "Harbour Press",
    "volume": "3",
    "page": "1-9",
    "URL": "https://doi.org/10.1234/tides.21",
    "language": "en",
    "issued": {"date-parts": [[2021, 5]]},
    "author": [
        {"given": "Ada", "family": "Example", "sequence": "first", "affiliation": []},
        {"given": "Ben", "family": "Other", "suffix": "Jr."},
        {"name": "The Harbour Consortium", "sequence": "additional"},
    ],
    "abstract": (
        "<jats:title>Abstract</jats:title>"
        "<jats:sec><jats:title>Background</jats:title><jats:p>Gauges are dear.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Methods</jats:title>"
        "<jats:p>We hang a microphone.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Results</jats:title><jats:p><jats:italic>p</jats:italic> &lt; 0.05."
        "</jats:p></jats:sec>"
    ),
    "reference": [
        {"key": "1", "DOI": "10.1234/FLOATS.1", "doi-asserted-by": "crossref"},
        {"key": "2", "unstructured": "A. Nobody, Wells, 1801."},
    ],
}

DATACITE: dict[str, Any] = {
    "id": "10.5072/tides",
    "type": "dois",
    "attributes": {
        "doi": "10.5072/TIDES",
        "titles": [{"title": "Counting Tides by Ear"}, {"title": "Gehör", "titleType": "Subtitle"}],
        "creators": [
            {
                "name": "Example, Ada",
                "nameType": "Personal",
                "givenName": "Ada",
                "familyName": "Example",
            },
            {"name": "Harbour Consortium", "nameType": "Organizational"},
        ],
        "publisher": "Zenodo",
        "publicationYear": 2021,
        "types": {"resourceTypeGeneral": "Preprint", "ris": "GEN"},
        "container": {"type": "Series", "title": "Tide Papers", "firstPage": "7"},
        "descriptions": [
            {"description": "12 pages", "descriptionType": "Other"},
            {
                "description": "<p>We hang a microphone. The tide hums.</p>",
                "descriptionType": "Abstract",
            },
        ],
        "relatedIdentifiers": [
            {
                "relationType": "References",
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": "10.1234/floats.1",
            },
            {
                "relationType": "Cites",
                "relatedIdentifierType": "URL",
                "relatedIdentifier": "https://example.org",
            },
            {
                "relationType": "IsVersionOf",
                "relatedIdentifierType": "DOI",
                "relatedIdentifier": "10.5072/other",
            },
        ],
        "url": "https://example.org/tides",
        "language": "en",
    },
}


def read(module: ModuleType, answer: Any) -> list[Entry | UnreadableEntry]:
    if isinstance(answer, str):
        data = answer.encode()
    else:
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return list(module.read(data, "answer.json"))
