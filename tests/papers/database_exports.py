"""One paper as the databases export it, after their documented forms; all is made up."""

from __future__ import annotations

NOTICE = (
    "Copyright of Journal of Board Games is the property of Board Press and its content may not be "
    "copied or emailed to multiple sites or posted to a listserv without the copyright holder's "
    "express written permission. However, users may print, download, or email articles for "
    "individual use. (Copyright applies to all Abstracts.)"
)

EXPORTS = {
    "Scopus CSV": """\
"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Issue",\
"Art. No.","Page start","Page end","Page count","Cited by","DOI","Link","Abstract",\
"Author Keywords","Index Keywords","Publisher","ISSN","Language of Original Document",\
"Abbreviated Source Title","Document Type","Publication Stage","Open Access","Source","EID"
"Rook A.; van der Pawn B.C.","Rook, Ann (57201); van der Pawn, Ben C. (57202)","1; 2",\
"Chess in the Victorian novel","2019","Journal of Board Games","14","3","","211","230","20","4",\
"10.5555/chess.1","https://www.scopus.com/x?eid=1","Novels play chess. We count 90 games. © 2019 \
Board Press. All rights reserved.","chess; novel","","Board Press","01234567","English",\
"J. Board Games","Article","Final","","Scopus","2-s2.0-1"
""",
    "Scopus RIS": """\
TY  - JOUR
TI  - Chess in the Victorian novel
T2  - Journal of Board Games
J2  - J. Board Games
VL  - 14
IS  - 3
SP  - 211
EP  - 230
PY  - 2019
DO  - 10.5555/chess.1
AU  - Rook, A.
AU  - van der Pawn, B.C.
AB  - Novels play chess. We count 90 games. © 2019 Board Press. All rights reserved.
KW  - chess
KW  - novel
PB  - Board Press
SN  - 01234567 (ISSN)
LA  - English
M3  - Article
DB  - Scopus
C2  - 31234567
N1  - Export Date: 2 June 2020
UR  - https://www.scopus.com/x?eid=1
ER  -
""",
    "Scopus BibTeX": """\
Scopus
EXPORT DATE: 02 June 2020

@ARTICLE{Rook2019211,
\tauthor = {Rook, Ann and van der Pawn, Ben C.},
\ttitle = {Chess in the Victorian novel},
\tyear = {2019},
\tjournal = {Journal of Board Games},
\tvolume = {14},
\tnumber = {3},
\tpages = {211 – 230},
\tdoi = {10.5555/chess.1},
\turl = {https://www.scopus.com/x?eid=1},
\tabstract = {Novels play chess. We count 90 games. © 2019 Board Press. All rights reserved.},
\tauthor_keywords = {chess; novel},
\tpublisher = {Board Press},
\tissn = {01234567},
\tlanguage = {English},
\tabbrev_source_title = {J. Board Games},
\ttype = {Article},
\tsource = {Scopus}
}
""",
    "Web of Science text": """\
FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Rook, A
   van der Pawn, BC
AF Rook, Ann
   van der Pawn, Ben C.
TI Chess in the
   Victorian novel
SO JOURNAL OF BOARD GAMES
LA English
DT Article
DE chess; novel
AB Novels play chess. We count
   90 games.
PU BOARD PRESS
PI LONDON
SN 0123-4567
EI 1234-5678
J9 J BOARD GAMES
JI J. Board Games
PD JUN 2
PY 2019
VL 14
IS 3
BP 211
EP 230
DI 10.5555/chess.1
PM 31234567
UT WOS:000123
ER

EF
""",
    "Web of Science tab-delimited": """\
PT\tAU\tAF\tTI\tSO\tLA\tDT\tDE\tID\tAB\tPU\tSN\tEI\tJI\tPD\tPY\tVL\tIS\tBP\tEP\tAR\tDI\tPM\tUT
J\tRook, A; van der Pawn, BC\tRook, Ann; van der Pawn, Ben C.\tChess in the Victorian novel\t\
JOURNAL OF BOARD GAMES\tEnglish\tArticle\tchess; novel\t\tNovels play chess. We count 90 games.\t\
BOARD PRESS\t0123-4567\t1234-5678\tJ. Board Games\tJUN \
2\t2019\t14\t3\t211\t230\t\t10.5555/chess.1\t\
31234567\tWOS:000123
""",
    "Web of Science BibTeX": """\
@article{ WOS:000123,
Author = {Rook, Ann and van der Pawn, Ben C.},
Title = {{Chess in the Victorian novel}},
Journal = {{JOURNAL OF BOARD GAMES}},
Year = {{2019}},
Volume = {{14}},
Number = {{3}},
Pages = {{211-230}},
Month = {{JUN 2}},
Abstract = {{Novels play chess. We count 90 games.}},
Publisher = {{BOARD PRESS}},
Language = {{English}},
DOI = {{10.5555/chess.1}},
ISSN = {{0123-4567}},
Keywords = {{chess; novel}},
Journal-ISO = {{J. Board Games}},
Unique-ID = {{WOS:000123}},
}
""",
    "PubMed": """\
PMID- 31234567
OWN - NLM
STAT- MEDLINE
IS  - 0123-4567 (Print)
VI  - 14
IP  - 3
DP  - 2019 Jun 2
TI  - Chess in the Victorian
      novel.
PG  - 211-230
LID - 10.5555/chess.1 [doi]
AB  - Novels play chess. We
      count 90 games.
CI  - Copyright (c) 2019 Board Press.
FAU - Rook, Ann
AU  - Rook A
FAU - van der Pawn, Ben C
AU  - van der Pawn BC
LA  - English
PT  - Journal Article
PL  - England
TA  - J Board Games
JT  - Journal of board games
OT  - chess
OT  - novel
EDAT- 2019/06/03 06:00
AID - S0123-4567(19)30001-1 [pii]
AID - 10.5555/chess.1 [doi]
SO  - J Board Games. 2019 Jun 2;14(3):211-230. doi: 10.5555/chess.1.
""",
    "PubMed CSV": """\
PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,\
DOI
"31234567","Chess in the Victorian novel","Rook A, van der Pawn BC.","Journal of Board Games. 2019 \
Jun 2;14(3):211-230. doi: 10.5555/chess.1.","Rook A","Journal of Board Games","2019","2019/06/03",\
"","","10.5555/chess.1"
""",
    "EBSCO RIS": """\
TY  - JOUR
ID  - 137000001
AN  - 137000001
AU  - Rook, Ann
AU  - van der Pawn, Ben C.
T1  - Chess in the Victorian novel
JO  - J. Board Games
JF  - Journal of Board Games
JA  - J. Board Games
Y1  - 2019/06/02/
VL  - 14
IS  - 3
SP  - 211
EP  - 230
PB  - Board Press
SN  - 01234567
M3  - 10.5555/chess.1
KW  - chess
KW  - novel
N2  - Novels play chess. We count 90 games. [ABSTRACT FROM AUTHOR]
Copyright of X
UR  - https://search.ebscohost.com/login.aspx?direct=true&db=a9h&AN=137000001
DP  - EBSCOhost
DB  - a9h
ER  -
""".replace("Copyright of X", NOTICE),
    "EBSCO CSV": f"""\
"Article Title","Author","Journal Title","ISSN","ISBN","Publication Date","Volume","Issue",\
"First Page","Page Count","Accession Number","DOI","Publisher","Doctype","Subjects","Keywords",\
"Abstract","PLink"
"Chess in the Victorian novel","Rook, Ann; van der Pawn, Ben C.","Journal of Board Games",\
"01234567","","20190602","14","3","211","20","137000001","10.5555/chess.1","Board Press","Article",\
"chess","novel","Novels play chess. We count 90 games. [ABSTRACT FROM AUTHOR] {NOTICE}",\
"https://search.ebscohost.com/login.aspx?direct=true&db=a9h&AN=137000001"
""",
    "APA PsycInfo RIS": """\
TY  - JOUR
ID  - 2019-00001-001
AN  - 2019-00001-001
AU  - Rook, Ann
AU  - van der Pawn, Ben C.
T1  - Chess in the Victorian novel
JF  - Journal of Board Games
JO  - Journal of Board Games
JA  - J. Board Games
Y1  - 2019/06/02
VL  - 14
IS  - 3
SP  - 211
EP  - 230
CY  - US
PB  - Board Press
SN  - 1234-5678(Electronic),0123-4567(Print)
DO  - 10.5555/chess.1
KW  - *chess
KW  - *novel
N2  - Novels play chess. We count 90 games. (PsycInfo Database Record (c) 2020 APA, all rights \
reserved)
ER  -
""",
    "Ovid RIS": """\
TY  - JOUR
DB  - Ovid MEDLINE(R) <1946 to Present>
AN  - 31234567
ID  - 10.5555/chess.1 [doi]
T1  - Chess in the Victorian novel
A1  - Rook, Ann
A1  - van der Pawn, Ben C
Y1  - 20190602//
N2  - Novels play chess. We count 90 games. Copyright © 2019 Board Press. All rights reserved.
KW  - *chess
KW  - novel
JF  - Journal of Board Games
JA  - J Board Games
LA  - English
VL  - 14
IS  - 3
SP  - 211
EP  - 230
CY  - England
PB  - Board Press
SN  - 0123-4567
UR  - https://ovidsp.ovid.com/ovidweb.cgi?T=JS&AN=31234567
ER  -
""",
    "ProQuest RIS": """\
TY  - JOUR
T1  - Chess in the Victorian novel
AN  - 2200000001; 31234567
AU  - Rook, Ann
AU  - van der Pawn, Ben C
Y1  - 2019/06/02/
PY  - 2019
DA  - 2019 Jun 02
N2  - Novels play chess. We count 90 games. Reprinted by permission of Board Press.
KW  - chess
KW  - novel
JF  - Journal of Board Games
VL  - 14
IS  - 3
SP  - 211
EP  - 230
PB  - Board Press
CY  - London
SN  - 0123-4567, 0123-4567
DO  - 10.5555/chess.1
LA  - English
UR  - https://www.proquest.com/scholarly-journals/chess/docview/2200000001/se-2
N1  - Last updated - 2020-01-01
ER  -
""",
    "JSTOR RIS": """\
Provider: JSTOR http://www.jstor.org
Database: JSTOR
Content: text/plain; charset="UTF-8"

TY  - JOUR
TI  - Chess in the Victorian novel
AU  - Rook, Ann
AU  - van der Pawn, Ben C.
AB  - Abstract Novels play chess. We count 90 games.
C1  - Full publication date: June 2019
DB  - JSTOR
EP  - 230
IS  - 3
PB  - Board Press
PY  - 2019
SN  - 01234567, 12345678
SP  - 211
T2  - Journal of Board Games
UR  - http://www.jstor.org/stable/10.5555/chess.1
VL  - 14
Y2  - 2020/06/02/
ER  -
""",
    "JSTOR BibTeX": """\
@comment{{NUMBER OF CITATIONS : 1}}
@article{10.5555/chess.1,
 ISSN = {01234567, 12345678},
 URL = {http://www.jstor.org/stable/10.5555/chess.1},
 abstract = {Novels play chess. We count 90 games.},
 author = {Ann Rook and Ben C. van der Pawn},
 journal = {Journal of Board Games},
 number = {3},
 pages = {211--230},
 publisher = {Board Press},
 title = {Chess in the Victorian novel},
 urldate = {2020-06-02},
 volume = {14},
 year = {2019}
}
""",
    "Project MUSE RIS": """\
TY  - JOUR
TI  - Chess in the Victorian novel
A1  - Rook, Ann
A1  - van der Pawn, Ben C.
Y1  - 2019///
PY  - 2019
JF  - Journal of Board Games
VL  - 14
IS  - 3
SP  - 211
EP  - 230
PB  - Board Press
SN  - 0123-4567
DO  - 10.5555/chess.1
UR  - https://muse.jhu.edu/article/700001
N1  - <p>Abstract:</p>
N2  - <p>Novels play chess. We count 90 games.</p>
ER  -
""",
    "Google Scholar EndNote": """\
%0 Journal Article
%T Chess in the Victorian novel
%A Rook, Ann
%A van der Pawn, Ben C
%J Journal of Board Games
%V 14
%N 3
%P 211-230
%@ 0123-4567
%D 2019
%I Board Press
%R 10.5555/chess.1
%X Novels play chess.
We count 90 games.
%K chess
%K novel
%U https://boards.example/chess
""",
    "Google Scholar CSV": """\
Authors,Title,Publication,Volume,Number,Pages,Year,Publisher
"Rook, Ann; van der Pawn, Ben C; ",Chess in the Victorian novel,Journal of Board Games,14,3,\
211-230,\
2019,Board Press
""",
    "IEEE Xplore CSV": """\
"Document Title",Authors,"Author Affiliations","Publication Title",Date Added To Xplore,\
"Publication Year","Volume","Issue","Start Page","End Page","Abstract","ISSN",ISBNs,"DOI",\
Funding Information,PDF Link,"Author Keywords","IEEE Terms",Publisher,Document Identifier
"Chess in the Victorian novel","A. Rook; B. C. van der Pawn","A; B","Journal of Board Games",\
"2 June 2019","2019","14","3","211","230","Novels play chess. We count 90 games.","0123-4567","",\
"10.5555/chess.1","","https://ieeexplore.ieee.org/x","chess;novel","","Board Press","IEEE Journals"
""",
    "Dimensions CSV": """\
"About the data: Exported on June 2, 2020. Criteria: 'chess' in title."
Rank,Publication ID,DOI,PMID,PMCID,Title,Abstract,Source title,Anthology title,MeSH terms,\
Publication Date,PubYear,Volume,Issue,Pagination,Open Access,Publication Type,Authors,Dimensions URL
1,pub.1,10.5555/chess.1,31234567,,Chess in the Victorian novel,Novels play chess. We count 90 \
games.,\
Journal of Board Games,,,2019-06-02,2019,14,3,211-230,Closed,Article,"Rook, Ann; van der Pawn, \
Ben C.",\
https://app.dimensions.ai/x
""",
    "RefWorks": """\
RT Journal Article
SR Electronic
ID 1
A1 Rook, Ann
A1 van der Pawn, Ben C.
T1 Chess in the Victorian novel
JF Journal of Board Games
JO J. Board Games
YR 2019
FD June 2
VO 14
IS 3
SP 211
OP 230
K1 chess
K1 novel
AB Novels play chess. We count 90 games.
PB Board Press
SN 0123-4567
LA English
DO 10.5555/chess.1
UL https://boards.example/chess
""",
    "Zotero CSV": """\
"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI",\
"Url",\
"Abstract Note","Date","Date Added","Pages","Issue","Volume","Journal Abbreviation","Publisher",\
"Language","Notes","Manual Tags","Automatic Tags"
"K1","journalArticle","2019","Rook, Ann; van der Pawn, Ben C.","Chess in the Victorian novel",\
"Journal of Board Games","","0123-4567","10.5555/chess.1","https://boards.example/chess",\
"Novels play chess. We count 90 games.","2019-06-02","2020-01-01 10:00:00","211-230","3","14",\
"J. Board Games","Board Press","English","","chess; novel",""
""",
}
