"""All tables and sentences of the pages with figures from runs, cards or data."""

from __future__ import annotations

import claims_tables
import papers_tables
import people_tables
import quotations_tables
import reproduced_people
import reproduced_retrieval
from figure_tables import Block

BLOCKS: tuple[Block, ...] = (
    *claims_tables.RANKING,
    *claims_tables.JUDGED_CLAIMS,
    *claims_tables.RELIC,
    claims_tables.questions(),
    claims_tables.second_readings(),
    *papers_tables.PAPERS,
    *people_tables.SPEAKERS,
    people_tables.LITBANK,
    *people_tables.CHARACTERS,
    people_tables.described(),
    people_tables.bank_readings(),
    people_tables.compositions(),
    *people_tables.WHO,
    *people_tables.EXAMPLE,
    people_tables.LICENCES,
    *quotations_tables.LOCATE,
    *reproduced_people.ROWS,
    *reproduced_retrieval.REPRODUCED,
)
