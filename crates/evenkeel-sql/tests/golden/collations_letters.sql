-- Letters by the rules of a language.
select upper(s collate "el-x-icu"), lower(s collate "el-x-icu"), initcap(s collate "el-x-icu") from unnest(array['άέήίόύώ','αύριο','Μαΐου','νεράιδα','ΟΔΟΣ ΟΔΟΣ']) s;
--|    upper   |   lower   |  initcap
--| -----------+-----------+-----------
--|  ΑΕΗΪΟΫΩ   | άέήίόύώ   | Άέήίόύώ
--|  ΑΥΡΙΟ     | αύριο     | Αύριο
--|  ΜΑΪΟΥ     | μαΐου     | Μαΐου
--|  ΝΕΡΑΪΔΑ   | νεράιδα   | Νεράιδα
--|  ΟΔΟΣ ΟΔΟΣ | οδος οδος | Οδος Οδος
--| (5 rows)
select upper(s collate "lt-x-icu"), lower(s collate "lt-x-icu"), initcap(s collate "lt-x-icu") from unnest(array['i','J','Ì','įį','IÌ']) s;
--|  upper | lower | initcap
--| -------+-------+---------
--|  I     | i     | I
--|  J     | j     | J
--|  Ì     | i̇̀   | Ì
--|  ĮĮ    | įį    | Įį
--|  IÌ    | ii̇̀  | Ii̇̀
--| (5 rows)
select initcap(s collate "nl-x-icu"), upper(s collate "nl-x-icu") from unnest(array['ijs','IJS ijs','ij-ij','bij','''ijs']) s;
--|  initcap |  upper
--| ---------+---------
--|  IJs     | IJS
--|  IJs IJs | IJS IJS
--|  IJ-IJ   | IJ-IJ
--|  Bij     | BIJ
--|  'IJs    | 'IJS
--| (5 rows)
select upper(s collate "hy-x-icu"), lower(s collate "hy-x-icu") from unnest(array['նոյեմբեր','ԵՒ']) s;
--|   upper   |  lower
--| ----------+----------
--|  ՆՈՅԵՄԲԵՐ | նոյեմբեր
--|  ԵՒ       | եւ
--| (2 rows)
select upper(s collate "tr-x-icu"), lower(s collate "tr-x-icu"), initcap(s collate "tr-x-icu") from unnest(array['i','ı','I','İ','istanbul IĞDIR']) s;
--|      upper      |     lower      |    initcap
--| ----------------+----------------+----------------
--|  İ              | i              | İ
--|  I              | ı              | I
--|  I              | ı              | I
--|  İ              | i              | İ
--|  İSTANBUL IĞDIR | istanbul ığdır | İstanbul Iğdır
--| (5 rows)
select initcap('abc.def ab-cd ab_cd 3rd o''neil l’eau x;y 12ab ab12cd.ef 1.5a a.1b ab,cd 1,2a "quoted" (paren) ΑΣ ΟΔΥΣΣΕΥΣ x²y ﬁx ŉa ß ivan-ИВАН' collate "en-x-icu");
--|                                                               initcap
--| ------------------------------------------------------------------------------------------------------------------------------------
--|  Abc.def Ab-Cd Ab_cd 3rd O'neil L’eau X;Y 12ab Ab12cd.ef 1.5a A.1b Ab,Cd 1,2a "Quoted" (Paren) Ας Οδυσσευς X²Y Fix ʼNa Ss Ivan-Иван
--| (1 row)
select initcap(s collate "de-x-icu") from unnest(array['a.b','a''b','''ab','ab''','a·b','a‧b','_ab','a__b','1.a','a1.b','1a.b','ab.cd.ef','ab..cd','ab.''cd','ᾳω','ǆ','ﬁ','d''ARC','αβ.γδ','Σ','ΑΣ ΒΣ']) s;
--|  initcap
--| ----------
--|  A.b
--|  A'b
--|  'Ab
--|  Ab'
--|  A·b
--|  A‧b
--|  _Ab
--|  A__b
--|  1.A
--|  A1.B
--|  1a.b
--|  Ab.cd.ef
--|  Ab..Cd
--|  Ab.'Cd
--|  ᾼω
--|  ǅ
--|  Fi
--|  D'arc
--|  Αβ.γδ
--|  Σ
--|  Ας Βς
--| (21 rows)
create table cl (x text collate "el-x-icu");
--| CREATE TABLE
create index on cl (upper(x));
--| CREATE INDEX
insert into cl values ('ά'), ('β');
--| INSERT 0 2
select x from cl where upper(x) = 'Α';
--|  x
--| ---
--|  ά
--| (1 row)
-- "C" knows letters of ASCII alone.
select lower(s collate "C"), upper(s collate "POSIX"), initcap(s collate "ucs_basic") from unnest(array['äA Öb','ßz','ЖBж']) s;
--|  lower | upper | initcap
--| -------+-------+---------
--|  äa Öb | äA ÖB | äA ÖB
--|  ßz    | ßZ    | ßZ
--|  Жbж   | ЖBж   | ЖBж
--| (3 rows)
select s ilike p collate "tr-x-icu", s not ilike p collate "tr-x-icu" from unnest(array['i','I','ı','İ']) s, unnest(array['i%','I']) p order by s collate "C", p collate "C";
--|  ?column? | ?column?
--| ----------+----------
--|  t        | f
--|  f        | t
--|  f        | t
--|  t        | f
--|  f        | t
--|  t        | f
--|  t        | f
--|  f        | t
--| (8 rows)
