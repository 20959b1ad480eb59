-- What psql sends for its backslash commands, as captured from it; each must run on the general executor.

create table meta_t(id serial primary key, name varchar(20) not null default 'x', v numeric(10,2) check (v > 0), t timestamptz default now());
--| CREATE TABLE
create table meta_f(id int references meta_t on delete cascade, b text unique);
--| CREATE TABLE
create index meta_i on meta_f (b desc, id);
--| CREATE INDEX

-- \d
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
WHERE c.relkind IN ('r','p','v','m','S','f','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
--|  Schema |     Name      |   Type   |  Owner
--| --------+---------------+----------+----------
--|  public | meta_f        | table    | postgres
--|  public | meta_t        | table    | postgres
--|  public | meta_t_id_seq | sequence | postgres
--| (3 rows)
-- \dt
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
WHERE c.relkind IN ('r','p','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
--|  Schema |  Name  | Type  |  Owner
--| --------+--------+-------+----------
--|  public | meta_f | table | postgres
--|  public | meta_t | table | postgres
--| (2 rows)
-- \d meta_t
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(meta_t)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
--|   oid  | nspname | relname
--| -------+---------+---------
--|  16384 | public  | meta_t
--| (1 row)
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = '16384';
--|  relchecks | relkind | relhasindex | relhasrules | relhastriggers | relrowsecurity | relforcerowsecurity | relhasoids | relispartition | ?column? | reltablespace | reloftype | relpersistence | relreplident | amname
--| -----------+---------+-------------+-------------+----------------+----------------+---------------------+------------+----------------+----------+---------------+-----------+----------------+--------------+--------
--|          1 | r       | t           | f           | t              | f              | f                   | f          | f              |          |             0 |           | p              | d            | heap
--| (1 row)
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
--|  attname |       format_type        |            pg_get_expr             | attnotnull | attcollation | attidentity | attgenerated
--| ---------+--------------------------+------------------------------------+------------+--------------+-------------+--------------
--|  id      | integer                  | nextval('meta_t_id_seq'::regclass) | t          |              |             |
--|  name    | character varying(20)    | 'x'::character varying             | t          |              |             |
--|  v       | numeric(10,2)            |                                    | f          |              |             |
--|  t       | timestamp with time zone | now()                              | f          |              |             |
--| (4 rows)
SELECT c2.relname, i.indisprimary, i.indisunique, i.indisclustered, i.indisvalid, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true),
  pg_catalog.pg_get_constraintdef(con.oid, true), contype, condeferrable, condeferred, i.indisreplident, c2.reltablespace
FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i
  LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x'))
WHERE c.oid = '16384' AND c.oid = i.indrelid AND i.indexrelid = c2.oid
ORDER BY i.indisprimary DESC, c2.relname;
--|    relname   | indisprimary | indisunique | indisclustered | indisvalid |                      pg_get_indexdef                       | pg_get_constraintdef | contype | condeferrable | condeferred | indisreplident | reltablespace
--| -------------+--------------+-------------+----------------+------------+------------------------------------------------------------+----------------------+---------+---------------+-------------+----------------+---------------
--|  meta_t_pkey | t            | t           | f              | t          | CREATE UNIQUE INDEX meta_t_pkey ON meta_t USING btree (id) | PRIMARY KEY (id)     | p       | f             | f           | f              |             0
--| (1 row)
SELECT r.conname, pg_catalog.pg_get_constraintdef(r.oid, true)
FROM pg_catalog.pg_constraint r
WHERE r.conrelid = '16384' AND r.contype = 'c'
ORDER BY 1;
--|     conname     |  pg_get_constraintdef
--| ----------------+------------------------
--|  meta_t_v_check | CHECK (v > 0::numeric)
--| (1 row)
SELECT true as sametable, conname,
  pg_catalog.pg_get_constraintdef(r.oid, true) as condef,
  conrelid::pg_catalog.regclass AS ontable
FROM pg_catalog.pg_constraint r
WHERE r.conrelid = '16384' AND r.contype = 'f'
     AND conparentid = 0
ORDER BY conname;
--|  sametable | conname | condef | ontable
--| -----------+---------+--------+---------
--| (0 rows)
SELECT conname, conrelid::pg_catalog.regclass AS ontable,
       pg_catalog.pg_get_constraintdef(oid, true) AS condef
  FROM pg_catalog.pg_constraint c
 WHERE confrelid IN (SELECT pg_catalog.pg_partition_ancestors('16384')
                     UNION ALL VALUES ('16384'::pg_catalog.regclass))
       AND contype = 'f' AND conparentid = 0
ORDER BY conname;
--|     conname     | ontable |                          condef
--| ----------------+---------+----------------------------------------------------------
--|  meta_f_id_fkey | meta_f  | FOREIGN KEY (id) REFERENCES meta_t(id) ON DELETE CASCADE
--| (1 row)
SELECT pol.polname, pol.polpermissive,
  CASE WHEN pol.polroles = '{0}' THEN NULL ELSE pg_catalog.array_to_string(array(select rolname from pg_catalog.pg_roles where oid = any (pol.polroles) order by 1),',') END,
  pg_catalog.pg_get_expr(pol.polqual, pol.polrelid),
  pg_catalog.pg_get_expr(pol.polwithcheck, pol.polrelid),
  CASE pol.polcmd
    WHEN 'r' THEN 'SELECT'
    WHEN 'a' THEN 'INSERT'
    WHEN 'w' THEN 'UPDATE'
    WHEN 'd' THEN 'DELETE'
    END AS cmd
FROM pg_catalog.pg_policy pol
WHERE pol.polrelid = '16384' ORDER BY 1;
--|  polname | polpermissive | array_to_string | pg_get_expr | pg_get_expr | cmd
--| ---------+---------------+-----------------+-------------+-------------+-----
--| (0 rows)
SELECT oid, stxrelid::pg_catalog.regclass, stxnamespace::pg_catalog.regnamespace::pg_catalog.text AS nsp, stxname,
pg_catalog.pg_get_statisticsobjdef_columns(oid) AS columns,
  'd' = any(stxkind) AS ndist_enabled,
  'f' = any(stxkind) AS deps_enabled,
  'm' = any(stxkind) AS mcv_enabled,
stxstattarget
FROM pg_catalog.pg_statistic_ext
WHERE stxrelid = '16384'
ORDER BY nsp, stxname;
--|  oid | stxrelid | nsp | stxname | columns | ndist_enabled | deps_enabled | mcv_enabled | stxstattarget
--| -----+----------+-----+---------+---------+---------------+--------------+-------------+---------------
--| (0 rows)
SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_namespace pn ON p.oid = pn.pnpubid
     JOIN pg_catalog.pg_class pc ON pc.relnamespace = pn.pnnspid
WHERE pc.oid ='16384' and pg_catalog.pg_relation_is_publishable('16384')
UNION
SELECT pubname
     , pg_get_expr(pr.prqual, c.oid)
     , (CASE WHEN pr.prattrs IS NOT NULL THEN
         (SELECT string_agg(attname, ', ')
           FROM pg_catalog.generate_series(0, pg_catalog.array_upper(pr.prattrs::pg_catalog.int2[], 1)) s,
                pg_catalog.pg_attribute
          WHERE attrelid = pr.prrelid AND attnum = prattrs[s])
        ELSE NULL END) FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid
     JOIN pg_catalog.pg_class c ON c.oid = pr.prrelid
WHERE pr.prrelid = '16384'
UNION
SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
WHERE p.puballtables AND pg_catalog.pg_relation_is_publishable('16384')
ORDER BY 1;
--|  pubname | ?column? | ?column?
--| ---------+----------+----------
--| (0 rows)
SELECT t.tgname, pg_catalog.pg_get_triggerdef(t.oid, true), t.tgenabled, t.tgisinternal,
  CASE WHEN t.tgparentid != 0 THEN
    (SELECT u.tgrelid::pg_catalog.regclass
     FROM pg_catalog.pg_trigger AS u,
          pg_catalog.pg_partition_ancestors(t.tgrelid) WITH ORDINALITY AS a(relid, depth)
     WHERE u.tgname = t.tgname AND u.tgrelid = a.relid
           AND u.tgparentid = 0
     ORDER BY a.depth LIMIT 1)
  END AS parent
FROM pg_catalog.pg_trigger t
WHERE t.tgrelid = '16384' AND (NOT t.tgisinternal OR (t.tgisinternal AND t.tgenabled = 'D'))
ORDER BY 1;
--|  tgname | pg_get_triggerdef | tgenabled | tgisinternal | parent
--| --------+-------------------+-----------+--------------+--------
--| (0 rows)
SELECT c.oid::pg_catalog.regclass
FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
WHERE c.oid = i.inhparent AND i.inhrelid = '16384'
  AND c.relkind != 'p' AND c.relkind != 'I'
ORDER BY inhseqno;
--|  oid
--| -----
--| (0 rows)
SELECT c.oid::pg_catalog.regclass, c.relkind, inhdetachpending, pg_catalog.pg_get_expr(c.relpartbound, c.oid)
FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
WHERE c.oid = i.inhrelid AND i.inhparent = '16384'
ORDER BY pg_catalog.pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT', c.oid::pg_catalog.regclass::pg_catalog.text;
--|  oid | relkind | inhdetachpending | pg_get_expr
--| -----+---------+------------------+-------------
--| (0 rows)
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, pg_catalog.array_to_string(c.reloptions || array(select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x), ', ')
, c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = '16384';
--|  relchecks | relkind | relhasindex | relhasrules | relhastriggers | relrowsecurity | relforcerowsecurity | relhasoids | relispartition | array_to_string | reltablespace | reloftype | relpersistence | relreplident | amname
--| -----------+---------+-------------+-------------+----------------+----------------+---------------------+------------+----------------+-----------------+---------------+-----------+----------------+--------------+--------
--|          1 | r       | t           | f           | t              | f              | f                   | f          | f              |                 |             0 |           | p              | d            | heap
--| (1 row)
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated,
  a.attstorage,
  a.attcompression AS attcompression,
  CASE WHEN a.attstattarget=-1 THEN NULL ELSE a.attstattarget END AS attstattarget,
  pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
--|  attname |       format_type        |            pg_get_expr             | attnotnull | attcollation | attidentity | attgenerated | attstorage | attcompression | attstattarget | col_description
--| ---------+--------------------------+------------------------------------+------------+--------------+-------------+--------------+------------+----------------+---------------+-----------------
--|  id      | integer                  | nextval('meta_t_id_seq'::regclass) | t          |              |             |              | p          |                |               |
--|  name    | character varying(20)    | 'x'::character varying             | t          |              |             |              | x          |                |               |
--|  v       | numeric(10,2)            |                                    | f          |              |             |              | m          |                |               |
--|  t       | timestamp with time zone | now()                              | f          |              |             |              | p          |                |               |
--| (4 rows)
-- \d meta_f
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(meta_f)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
--|   oid  | nspname | relname
--| -------+---------+---------
--|  16391 | public  | meta_f
--| (1 row)
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = '16391';
--|  relchecks | relkind | relhasindex | relhasrules | relhastriggers | relrowsecurity | relforcerowsecurity | relhasoids | relispartition | ?column? | reltablespace | reloftype | relpersistence | relreplident | amname
--| -----------+---------+-------------+-------------+----------------+----------------+---------------------+------------+----------------+----------+---------------+-----------+----------------+--------------+--------
--|          0 | r       | t           | f           | t              | f              | f                   | f          | f              |          |             0 |           | p              | d            | heap
--| (1 row)
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '16391' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
--|  attname | format_type | pg_get_expr | attnotnull | attcollation | attidentity | attgenerated
--| ---------+-------------+-------------+------------+--------------+-------------+--------------
--|  id      | integer     |             | f          |              |             |
--|  b       | text        |             | f          |              |             |
--| (2 rows)
SELECT true as sametable, conname,
  pg_catalog.pg_get_constraintdef(r.oid, true) as condef,
  conrelid::pg_catalog.regclass AS ontable
FROM pg_catalog.pg_constraint r
WHERE r.conrelid = '16391' AND r.contype = 'f'
     AND conparentid = 0
ORDER BY conname;
--|  sametable |    conname     |                          condef                          | ontable
--| -----------+----------------+----------------------------------------------------------+---------
--|  t         | meta_f_id_fkey | FOREIGN KEY (id) REFERENCES meta_t(id) ON DELETE CASCADE | meta_f
--| (1 row)
SELECT conname, conrelid::pg_catalog.regclass AS ontable,
       pg_catalog.pg_get_constraintdef(oid, true) AS condef
  FROM pg_catalog.pg_constraint c
 WHERE confrelid IN (SELECT pg_catalog.pg_partition_ancestors('16391')
                     UNION ALL VALUES ('16391'::pg_catalog.regclass))
       AND contype = 'f' AND conparentid = 0
ORDER BY conname;
--|  conname | ontable | condef
--| ---------+---------+--------
--| (0 rows)
SELECT pol.polname, pol.polpermissive,
  CASE WHEN pol.polroles = '{0}' THEN NULL ELSE pg_catalog.array_to_string(array(select rolname from pg_catalog.pg_roles where oid = any (pol.polroles) order by 1),',') END,
  pg_catalog.pg_get_expr(pol.polqual, pol.polrelid),
  pg_catalog.pg_get_expr(pol.polwithcheck, pol.polrelid),
  CASE pol.polcmd
    WHEN 'r' THEN 'SELECT'
    WHEN 'a' THEN 'INSERT'
    WHEN 'w' THEN 'UPDATE'
    WHEN 'd' THEN 'DELETE'
    END AS cmd
FROM pg_catalog.pg_policy pol
WHERE pol.polrelid = '16391' ORDER BY 1;
--|  polname | polpermissive | array_to_string | pg_get_expr | pg_get_expr | cmd
--| ---------+---------------+-----------------+-------------+-------------+-----
--| (0 rows)
SELECT oid, stxrelid::pg_catalog.regclass, stxnamespace::pg_catalog.regnamespace::pg_catalog.text AS nsp, stxname,
pg_catalog.pg_get_statisticsobjdef_columns(oid) AS columns,
  'd' = any(stxkind) AS ndist_enabled,
  'f' = any(stxkind) AS deps_enabled,
  'm' = any(stxkind) AS mcv_enabled,
stxstattarget
FROM pg_catalog.pg_statistic_ext
WHERE stxrelid = '16391'
ORDER BY nsp, stxname;
--|  oid | stxrelid | nsp | stxname | columns | ndist_enabled | deps_enabled | mcv_enabled | stxstattarget
--| -----+----------+-----+---------+---------+---------------+--------------+-------------+---------------
--| (0 rows)
SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_namespace pn ON p.oid = pn.pnpubid
     JOIN pg_catalog.pg_class pc ON pc.relnamespace = pn.pnnspid
WHERE pc.oid ='16391' and pg_catalog.pg_relation_is_publishable('16391')
UNION
SELECT pubname
     , pg_get_expr(pr.prqual, c.oid)
     , (CASE WHEN pr.prattrs IS NOT NULL THEN
         (SELECT string_agg(attname, ', ')
           FROM pg_catalog.generate_series(0, pg_catalog.array_upper(pr.prattrs::pg_catalog.int2[], 1)) s,
                pg_catalog.pg_attribute
          WHERE attrelid = pr.prrelid AND attnum = prattrs[s])
        ELSE NULL END) FROM pg_catalog.pg_publication p
     JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid
     JOIN pg_catalog.pg_class c ON c.oid = pr.prrelid
WHERE pr.prrelid = '16391'
UNION
SELECT pubname
     , NULL
     , NULL
FROM pg_catalog.pg_publication p
WHERE p.puballtables AND pg_catalog.pg_relation_is_publishable('16391')
ORDER BY 1;
--|  pubname | ?column? | ?column?
--| ---------+----------+----------
--| (0 rows)
SELECT t.tgname, pg_catalog.pg_get_triggerdef(t.oid, true), t.tgenabled, t.tgisinternal,
  CASE WHEN t.tgparentid != 0 THEN
    (SELECT u.tgrelid::pg_catalog.regclass
     FROM pg_catalog.pg_trigger AS u,
          pg_catalog.pg_partition_ancestors(t.tgrelid) WITH ORDINALITY AS a(relid, depth)
     WHERE u.tgname = t.tgname AND u.tgrelid = a.relid
           AND u.tgparentid = 0
     ORDER BY a.depth LIMIT 1)
  END AS parent
FROM pg_catalog.pg_trigger t
WHERE t.tgrelid = '16391' AND (NOT t.tgisinternal OR (t.tgisinternal AND t.tgenabled = 'D'))
ORDER BY 1;
--|  tgname | pg_get_triggerdef | tgenabled | tgisinternal | parent
--| --------+-------------------+-----------+--------------+--------
--| (0 rows)
SELECT c.oid::pg_catalog.regclass
FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
WHERE c.oid = i.inhparent AND i.inhrelid = '16391'
  AND c.relkind != 'p' AND c.relkind != 'I'
ORDER BY inhseqno;
--|  oid
--| -----
--| (0 rows)
SELECT c.oid::pg_catalog.regclass, c.relkind, inhdetachpending, pg_catalog.pg_get_expr(c.relpartbound, c.oid)
FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i
WHERE c.oid = i.inhrelid AND i.inhparent = '16391'
ORDER BY pg_catalog.pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT', c.oid::pg_catalog.regclass::pg_catalog.text;
--|  oid | relkind | inhdetachpending | pg_get_expr
--| -----+---------+------------------+-------------
--| (0 rows)
-- \d meta_t_id_seq
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(meta_t_id_seq)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
--|   oid  | nspname |    relname
--| -------+---------+---------------
--|  16385 | public  | meta_t_id_seq
--| (1 row)
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = '16385';
--|  relchecks | relkind | relhasindex | relhasrules | relhastriggers | relrowsecurity | relforcerowsecurity | relhasoids | relispartition | ?column? | reltablespace | reloftype | relpersistence | relreplident | amname
--| -----------+---------+-------------+-------------+----------------+----------------+---------------------+------------+----------------+----------+---------------+-----------+----------------+--------------+--------
--|          0 | S       | f           | f           | f              | f              | f                   | f          | f              |          |             0 |           | p              | n            |
--| (1 row)
SELECT pg_catalog.format_type(seqtypid, NULL) AS "Type",
       seqstart AS "Start",
       seqmin AS "Minimum",
       seqmax AS "Maximum",
       seqincrement AS "Increment",
       CASE WHEN seqcycle THEN 'yes' ELSE 'no' END AS "Cycles?",
       seqcache AS "Cache"
FROM pg_catalog.pg_sequence
WHERE seqrelid = '16385';
--|   Type   | Start | Minimum |  Maximum   | Increment | Cycles? | Cache
--| ---------+-------+---------+------------+-----------+---------+-------
--|  integer |     1 |       1 | 2147483647 |         1 | no      |     1
--| (1 row)
SELECT pg_catalog.quote_ident(nspname) || '.' ||
   pg_catalog.quote_ident(relname) || '.' ||
   pg_catalog.quote_ident(attname),
   d.deptype
FROM pg_catalog.pg_class c
INNER JOIN pg_catalog.pg_depend d ON c.oid=d.refobjid
INNER JOIN pg_catalog.pg_namespace n ON n.oid=c.relnamespace
INNER JOIN pg_catalog.pg_attribute a ON (
 a.attrelid=c.oid AND
 a.attnum=d.refobjsubid)
WHERE d.classid='pg_catalog.pg_class'::pg_catalog.regclass
 AND d.refclassid='pg_catalog.pg_class'::pg_catalog.regclass
 AND d.objid='16385'
 AND d.deptype IN ('a', 'i');
--|      ?column?     | deptype
--| ------------------+---------
--|  public.meta_t.id | a
--| (1 row)
-- \d meta_t_i
SELECT c.oid,
  n.nspname,
  c.relname
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(meta_t_i)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 2, 3;
--|  oid | nspname | relname
--| -----+---------+---------
--| (0 rows)
SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity, c.relforcerowsecurity, false AS relhasoids, c.relispartition, '', c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relpersistence, c.relreplident, am.amname
FROM pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
WHERE c.oid = '16392';
--|  relchecks | relkind | relhasindex | relhasrules | relhastriggers | relrowsecurity | relforcerowsecurity | relhasoids | relispartition | ?column? | reltablespace | reloftype | relpersistence | relreplident | amname
--| -----------+---------+-------------+-------------+----------------+----------------+---------------------+------------+----------------+----------+---------------+-----------+----------------+--------------+--------
--|          0 | i       | f           | f           | f              | f              | f                   | f          | f              |          |             0 |           | p              | n            | btree
--| (1 row)
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  CASE WHEN a.attnum <= (SELECT i.indnkeyatts FROM pg_catalog.pg_index i WHERE i.indexrelid = '16392') THEN 'yes' ELSE 'no' END AS is_key,
  pg_catalog.pg_get_indexdef(a.attrelid, a.attnum, TRUE) AS indexdef
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '16392' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;
--|  attname | format_type | is_key | indexdef
--| ---------+-------------+--------+----------
--|  b       | text        | yes    | b
--| (1 row)
SELECT i.indisunique, i.indisprimary, i.indisclustered, i.indisvalid,
  (NOT i.indimmediate) AND EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x') AND condeferrable) AS condeferrable,
  (NOT i.indimmediate) AND EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p','u','x') AND condeferred) AS condeferred,
i.indisreplident,
i.indnullsnotdistinct,
  a.amname, c2.relname, pg_catalog.pg_get_expr(i.indpred, i.indrelid, true)
FROM pg_catalog.pg_index i, pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_am a
WHERE i.indexrelid = c.oid AND c.oid = '16392' AND c.relam = a.oid
AND i.indrelid = c2.oid;
--|  indisunique | indisprimary | indisclustered | indisvalid | condeferrable | condeferred | indisreplident | indnullsnotdistinct | amname | relname | pg_get_expr
--| -------------+--------------+----------------+------------+---------------+-------------+----------------+---------------------+--------+---------+-------------
--|  t           | f            | f              | t          | f             | f           | f              | f                   | btree  | meta_f  |
--| (1 row)
-- \di
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner",
  c2.relname as "Table"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
     LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
     LEFT JOIN pg_catalog.pg_class c2 ON i.indrelid = c2.oid
WHERE c.relkind IN ('i','I','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
--|  Schema |     Name     | Type  |  Owner   | Table
--| --------+--------------+-------+----------+--------
--|  public | meta_f_b_key | index | postgres | meta_f
--|  public | meta_i       | index | postgres | meta_f
--|  public | meta_t_pkey  | index | postgres | meta_t
--| (3 rows)
-- \ds
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('S','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
--|  Schema |     Name      |   Type   |  Owner
--| --------+---------------+----------+----------
--|  public | meta_t_id_seq | sequence | postgres
--| (1 row)
-- \dv
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 't' THEN 'TOAST table' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' WHEN 'I' THEN 'partitioned index' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('v','')
      AND n.nspname <> 'pg_catalog'
      AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2;
--|  Schema | Name | Type | Owner
--| --------+------+------+-------
--| (0 rows)
-- \l
SELECT d.datname as "Name",
       pg_catalog.pg_get_userbyid(d.datdba) as "Owner",
       pg_catalog.pg_encoding_to_char(d.encoding) as "Encoding",
       d.datcollate as "Collate",
       d.datctype as "Ctype",
       d.daticulocale as "ICU Locale",
       CASE d.datlocprovider WHEN 'c' THEN 'libc' WHEN 'i' THEN 'icu' END AS "Locale Provider",
       pg_catalog.array_to_string(d.datacl, E'\n') AS "Access privileges"
FROM pg_catalog.pg_database d
ORDER BY 1;
--|    Name    |  Owner   | Encoding | Collate | Ctype | ICU Locale | Locale Provider | Access privileges
--| -----------+----------+----------+---------+-------+------------+-----------------+-------------------
--|  b         | postgres | UTF8     | C       | C     |            |                 |
--|  template0 | postgres | UTF8     | C       | C     |            |                 |
--|  template1 | postgres | UTF8     | C       | C     |            |                 |
--| (3 rows)
-- \dn
SELECT n.nspname AS "Name",
  pg_catalog.pg_get_userbyid(n.nspowner) AS "Owner"
FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1;
--|   Name  |       Owner
--| --------+-------------------
--|  public | pg_database_owner
--| (1 row)
-- \dn+
SELECT n.nspname AS "Name",
  pg_catalog.pg_get_userbyid(n.nspowner) AS "Owner",
  pg_catalog.array_to_string(n.nspacl, E'\n') AS "Access privileges",
  pg_catalog.obj_description(n.oid, 'pg_namespace') AS "Description"
FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1;
--|   Name  |       Owner       |           Access privileges            |      Description
--| --------+-------------------+----------------------------------------+------------------------
--|  public | pg_database_owner | pg_database_owner=UC/pg_database_owner+| standard public schema
--|         |                   | =U/pg_database_owner                   |
--| (1 row)
-- \du
SELECT r.rolname, r.rolsuper, r.rolinherit,
  r.rolcreaterole, r.rolcreatedb, r.rolcanlogin,
  r.rolconnlimit, r.rolvaliduntil,
  ARRAY(SELECT b.rolname
        FROM pg_catalog.pg_auth_members m
        JOIN pg_catalog.pg_roles b ON (m.roleid = b.oid)
        WHERE m.member = r.oid) as memberof
, r.rolreplication
, r.rolbypassrls
FROM pg_catalog.pg_roles r
WHERE r.rolname !~ '^pg_'
ORDER BY 1;
--|  rolname  | rolsuper | rolinherit | rolcreaterole | rolcreatedb | rolcanlogin | rolconnlimit | rolvaliduntil | memberof | rolreplication | rolbypassrls
--| ----------+----------+------------+---------------+-------------+-------------+--------------+---------------+----------+----------------+--------------
--|  postgres | t        | t          | t             | t           | t           |           -1 |               | {}       | t              | t
--| (1 row)
-- \df
SELECT n.nspname as "Schema",
  p.proname as "Name",
  pg_catalog.pg_get_function_result(p.oid) as "Result data type",
  pg_catalog.pg_get_function_arguments(p.oid) as "Argument data types",
 CASE p.prokind
  WHEN 'a' THEN 'agg'
  WHEN 'w' THEN 'window'
  WHEN 'p' THEN 'proc'
  ELSE 'func'
 END as "Type"
FROM pg_catalog.pg_proc p
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE pg_catalog.pg_function_is_visible(p.oid)
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
ORDER BY 1, 2, 4;
--|  Schema | Name | Result data type | Argument data types | Type
--| --------+------+------------------+---------------------+------
--| (0 rows)
-- \df count
SELECT n.nspname as "Schema",
  p.proname as "Name",
  pg_catalog.pg_get_function_result(p.oid) as "Result data type",
  pg_catalog.pg_get_function_arguments(p.oid) as "Argument data types",
 CASE p.prokind
  WHEN 'a' THEN 'agg'
  WHEN 'w' THEN 'window'
  WHEN 'p' THEN 'proc'
  ELSE 'func'
 END as "Type"
FROM pg_catalog.pg_proc p
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE p.proname OPERATOR(pg_catalog.~) '^(count)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_function_is_visible(p.oid)
ORDER BY 1, 2, 4;
--|    Schema   | Name  | Result data type | Argument data types | Type
--| ------------+-------+------------------+---------------------+------
--|  pg_catalog | count | bigint           |                     | agg
--|  pg_catalog | count | bigint           | "any"               | agg
--| (2 rows)
-- \dT
SELECT n.nspname as "Schema",
  pg_catalog.format_type(t.oid, NULL) AS "Name",
  pg_catalog.obj_description(t.oid, 'pg_type') as "Description"
FROM pg_catalog.pg_type t
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid))
  AND NOT EXISTS(SELECT 1 FROM pg_catalog.pg_type el WHERE el.oid = t.typelem AND el.typarray = t.oid)
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_type_is_visible(t.oid)
ORDER BY 1, 2;
--|  Schema | Name | Description
--| --------+------+-------------
--| (0 rows)
-- \dx
SELECT e.extname AS "Name", e.extversion AS "Version", n.nspname AS "Schema", c.description AS "Description"
FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace LEFT JOIN pg_catalog.pg_description c ON c.objoid = e.oid AND c.classoid = 'pg_catalog.pg_extension'::pg_catalog.regclass
ORDER BY 1;
--|   Name   | Version |   Schema   |         Description
--| ---------+---------+------------+------------------------------
--|  plpgsql | 1.0     | pg_catalog | PL/pgSQL procedural language
--| (1 row)
-- \dp
SELECT n.nspname as "Schema",
  c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END as "Type",
  pg_catalog.array_to_string(c.relacl, E'\n') AS "Access privileges",
  pg_catalog.array_to_string(ARRAY(
    SELECT attname || E':\n  ' || pg_catalog.array_to_string(attacl, E'\n  ')
    FROM pg_catalog.pg_attribute a
    WHERE attrelid = c.oid AND NOT attisdropped AND attacl IS NOT NULL
  ), E'\n') AS "Column privileges",
  pg_catalog.array_to_string(ARRAY(
    SELECT polname
    || CASE WHEN NOT polpermissive THEN
       E' (RESTRICTIVE)'
       ELSE '' END
    || CASE WHEN polcmd != '*' THEN
           E' (' || polcmd::pg_catalog.text || E'):'
       ELSE E':'
       END
    || CASE WHEN polqual IS NOT NULL THEN
           E'\n  (u): ' || pg_catalog.pg_get_expr(polqual, polrelid)
       ELSE E''
       END
    || CASE WHEN polwithcheck IS NOT NULL THEN
           E'\n  (c): ' || pg_catalog.pg_get_expr(polwithcheck, polrelid)
       ELSE E''
       END    || CASE WHEN polroles <> '{0}' THEN
           E'\n  to: ' || pg_catalog.array_to_string(
               ARRAY(
                   SELECT rolname
                   FROM pg_catalog.pg_roles
                   WHERE oid = ANY (polroles)
                   ORDER BY 1
               ), E', ')
       ELSE E''
       END
    FROM pg_catalog.pg_policy pol
    WHERE polrelid = c.oid), E'\n')
    AS "Policies"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r','v','m','S','f','p')
  AND n.nspname !~ '^pg_' AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1, 2;
--|  Schema |     Name      |   Type   | Access privileges | Column privileges | Policies
--| --------+---------------+----------+-------------------+-------------------+----------
--|  public | meta_f        | table    |                   |                   |
--|  public | meta_t        | table    |                   |                   |
--|  public | meta_t_id_seq | sequence |                   |                   |
--| (3 rows)
-- \db
SELECT spcname AS "Name",
  pg_catalog.pg_get_userbyid(spcowner) AS "Owner",
  pg_catalog.pg_tablespace_location(oid) AS "Location"
FROM pg_catalog.pg_tablespace
ORDER BY 1;
--|     Name    |  Owner   | Location
--| ------------+----------+----------
--|  pg_default | postgres |
--|  pg_global  | postgres |
--| (2 rows)
-- \dd
SELECT DISTINCT tt.nspname AS "Schema", tt.name AS "Name", tt.object AS "Object", d.description AS "Description"
FROM (
  SELECT pgc.oid as oid, pgc.tableoid AS tableoid,
  n.nspname as nspname,
  CAST(pgc.conname AS pg_catalog.text) as name,  CAST('table constraint' AS pg_catalog.text) as object
  FROM pg_catalog.pg_constraint pgc
    JOIN pg_catalog.pg_class c ON c.oid = pgc.conrelid
    LEFT JOIN pg_catalog.pg_namespace n     ON n.oid = c.relnamespace
WHERE n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
UNION ALL
  SELECT pgc.oid as oid, pgc.tableoid AS tableoid,
  n.nspname as nspname,
  CAST(pgc.conname AS pg_catalog.text) as name,  CAST('domain constraint' AS pg_catalog.text) as object
  FROM pg_catalog.pg_constraint pgc
    JOIN pg_catalog.pg_type t ON t.oid = pgc.contypid
    LEFT JOIN pg_catalog.pg_namespace n     ON n.oid = t.typnamespace
WHERE n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_type_is_visible(t.oid)
UNION ALL
  SELECT o.oid as oid, o.tableoid as tableoid,
  n.nspname as nspname,
  CAST(o.opcname AS pg_catalog.text) as name,
  CAST('operator class' AS pg_catalog.text) as object
  FROM pg_catalog.pg_opclass o
    JOIN pg_catalog.pg_am am ON o.opcmethod = am.oid
    JOIN pg_catalog.pg_namespace n ON n.oid = o.opcnamespace
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_opclass_is_visible(o.oid)
UNION ALL
  SELECT opf.oid as oid, opf.tableoid as tableoid,
  n.nspname as nspname,
  CAST(opf.opfname AS pg_catalog.text) AS name,
  CAST('operator family' AS pg_catalog.text) as object
  FROM pg_catalog.pg_opfamily opf
    JOIN pg_catalog.pg_am am ON opf.opfmethod = am.oid
    JOIN pg_catalog.pg_namespace n ON opf.opfnamespace = n.oid
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_opfamily_is_visible(opf.oid)
UNION ALL
  SELECT r.oid as oid, r.tableoid as tableoid,
  n.nspname as nspname,
  CAST(r.rulename AS pg_catalog.text) as name,  CAST('rule' AS pg_catalog.text) as object
  FROM pg_catalog.pg_rewrite r
       JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
       LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE r.rulename != '_RETURN'
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
UNION ALL
  SELECT t.oid as oid, t.tableoid as tableoid,
  n.nspname as nspname,
  CAST(t.tgname AS pg_catalog.text) as name,  CAST('trigger' AS pg_catalog.text) as object
  FROM pg_catalog.pg_trigger t
       JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
       LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
) AS tt
  JOIN pg_catalog.pg_description d ON (tt.oid = d.objoid AND tt.tableoid = d.classoid AND d.objsubid = 0)
ORDER BY 1, 2, 3;
--|  Schema | Name | Object | Description
--| --------+------+--------+-------------
--| (0 rows)
-- \dC
SELECT pg_catalog.format_type(castsource, NULL) AS "Source type",
       pg_catalog.format_type(casttarget, NULL) AS "Target type",
       CASE WHEN c.castmethod = 'b' THEN '(binary coercible)'
            WHEN c.castmethod = 'i' THEN '(with inout)'
            ELSE p.proname
       END AS "Function",
       CASE WHEN c.castcontext = 'e' THEN 'no'
            WHEN c.castcontext = 'a' THEN 'in assignment'
            ELSE 'yes'
       END AS "Implicit?"
FROM pg_catalog.pg_cast c LEFT JOIN pg_catalog.pg_proc p
     ON c.castfunc = p.oid
     LEFT JOIN pg_catalog.pg_type ts
     ON c.castsource = ts.oid
     LEFT JOIN pg_catalog.pg_namespace ns
     ON ns.oid = ts.typnamespace
     LEFT JOIN pg_catalog.pg_type tt
     ON c.casttarget = tt.oid
     LEFT JOIN pg_catalog.pg_namespace nt
     ON nt.oid = tt.typnamespace
WHERE ( (true  AND pg_catalog.pg_type_is_visible(ts.oid)
) OR (true  AND pg_catalog.pg_type_is_visible(tt.oid)
) )
ORDER BY 1, 2;
--|          Source type         |         Target type         |      Function      |   Implicit?
--| -----------------------------+-----------------------------+--------------------+---------------
--|  "char"                      | character                   |                    | in assignment
--|  "char"                      | character varying           |                    | in assignment
--|  "char"                      | integer                     |                    | no
--|  "char"                      | text                        |                    | yes
--|  bigint                      | bit                         |                    | no
--|  bigint                      | bytea                       |                    | no
--|  bigint                      | double precision            |                    | yes
--|  bigint                      | integer                     |                    | in assignment
--|  bigint                      | money                       |                    | in assignment
--|  bigint                      | numeric                     |                    | yes
--|  bigint                      | oid                         |                    | yes
--|  bigint                      | real                        |                    | yes
--|  bigint                      | regclass                    |                    | yes
--|  bigint                      | regcollation                |                    | yes
--|  bigint                      | regnamespace                |                    | yes
--|  bigint                      | regoper                     |                    | yes
--|  bigint                      | regoperator                 |                    | yes
--|  bigint                      | regproc                     |                    | yes
--|  bigint                      | regprocedure                |                    | yes
--|  bigint                      | regrole                     |                    | yes
--|  bigint                      | regtype                     |                    | yes
--|  bigint                      | smallint                    |                    | in assignment
--|  bit                         | bigint                      |                    | no
--|  bit                         | bit                         |                    | yes
--|  bit                         | bit varying                 | (binary coercible) | yes
--|  bit                         | integer                     |                    | no
--|  bit varying                 | bit                         | (binary coercible) | yes
--|  bit varying                 | bit varying                 |                    | yes
--|  boolean                     | character                   |                    | in assignment
--|  boolean                     | character varying           |                    | in assignment
--|  boolean                     | integer                     |                    | no
--|  boolean                     | text                        |                    | in assignment
--|  bytea                       | bigint                      |                    | no
--|  bytea                       | integer                     |                    | no
--|  bytea                       | smallint                    |                    | no
--|  character                   | "char"                      |                    | in assignment
--|  character                   | character                   |                    | yes
--|  character                   | character varying           |                    | yes
--|  character                   | name                        |                    | yes
--|  character                   | text                        |                    | yes
--|  character varying           | "char"                      |                    | in assignment
--|  character varying           | character                   | (binary coercible) | yes
--|  character varying           | character varying           |                    | yes
--|  character varying           | name                        |                    | yes
--|  character varying           | regclass                    |                    | yes
--|  character varying           | text                        | (binary coercible) | yes
--|  cidr                        | character                   |                    | in assignment
--|  cidr                        | character varying           |                    | in assignment
--|  cidr                        | inet                        | (binary coercible) | yes
--|  cidr                        | text                        |                    | in assignment
--|  date                        | timestamp with time zone    |                    | yes
--|  date                        | timestamp without time zone |                    | yes
--|  double precision            | bigint                      |                    | in assignment
--|  double precision            | integer                     |                    | in assignment
--|  double precision            | numeric                     |                    | in assignment
--|  double precision            | real                        |                    | in assignment
--|  double precision            | smallint                    |                    | in assignment
--|  inet                        | character                   |                    | in assignment
--|  inet                        | character varying           |                    | in assignment
--|  inet                        | cidr                        |                    | in assignment
--|  inet                        | text                        |                    | in assignment
--|  integer                     | "char"                      |                    | no
--|  integer                     | bigint                      |                    | yes
--|  integer                     | bit                         |                    | no
--|  integer                     | boolean                     |                    | no
--|  integer                     | bytea                       |                    | no
--|  integer                     | double precision            |                    | yes
--|  integer                     | money                       |                    | in assignment
--|  integer                     | numeric                     |                    | yes
--|  integer                     | oid                         | (binary coercible) | yes
--|  integer                     | real                        |                    | yes
--|  integer                     | regclass                    | (binary coercible) | yes
--|  integer                     | regcollation                | (binary coercible) | yes
--|  integer                     | regnamespace                | (binary coercible) | yes
--|  integer                     | regoper                     | (binary coercible) | yes
--|  integer                     | regoperator                 | (binary coercible) | yes
--|  integer                     | regproc                     | (binary coercible) | yes
--|  integer                     | regprocedure                | (binary coercible) | yes
--|  integer                     | regrole                     | (binary coercible) | yes
--|  integer                     | regtype                     | (binary coercible) | yes
--|  integer                     | smallint                    |                    | in assignment
--|  interval                    | interval                    |                    | yes
--|  interval                    | time without time zone      |                    | in assignment
--|  json                        | jsonb                       | (with inout)       | in assignment
--|  jsonb                       | bigint                      |                    | no
--|  jsonb                       | boolean                     |                    | no
--|  jsonb                       | double precision            |                    | no
--|  jsonb                       | integer                     |                    | no
--|  jsonb                       | json                        | (with inout)       | in assignment
--|  jsonb                       | numeric                     |                    | no
--|  jsonb                       | real                        |                    | no
--|  jsonb                       | smallint                    |                    | no
--|  macaddr                     | macaddr8                    |                    | yes
--|  macaddr8                    | macaddr                     |                    | yes
--|  money                       | numeric                     |                    | in assignment
--|  name                        | character                   |                    | in assignment
--|  name                        | character varying           |                    | in assignment
--|  name                        | text                        |                    | yes
--|  numeric                     | bigint                      |                    | in assignment
--|  numeric                     | double precision            |                    | yes
--|  numeric                     | integer                     |                    | in assignment
--|  numeric                     | money                       |                    | in assignment
--|  numeric                     | numeric                     |                    | yes
--|  numeric                     | real                        |                    | yes
--|  numeric                     | smallint                    |                    | in assignment
--|  oid                         | bigint                      |                    | in assignment
--|  oid                         | integer                     | (binary coercible) | in assignment
--|  oid                         | regclass                    | (binary coercible) | yes
--|  oid                         | regcollation                | (binary coercible) | yes
--|  oid                         | regnamespace                | (binary coercible) | yes
--|  oid                         | regoper                     | (binary coercible) | yes
--|  oid                         | regoperator                 | (binary coercible) | yes
--|  oid                         | regproc                     | (binary coercible) | yes
--|  oid                         | regprocedure                | (binary coercible) | yes
--|  oid                         | regrole                     | (binary coercible) | yes
--|  oid                         | regtype                     | (binary coercible) | yes
--|  real                        | bigint                      |                    | in assignment
--|  real                        | double precision            |                    | yes
--|  real                        | integer                     |                    | in assignment
--|  real                        | numeric                     |                    | in assignment
--|  real                        | smallint                    |                    | in assignment
--|  regclass                    | bigint                      |                    | in assignment
--|  regclass                    | integer                     | (binary coercible) | in assignment
--|  regclass                    | oid                         | (binary coercible) | yes
--|  regcollation                | bigint                      |                    | in assignment
--|  regcollation                | integer                     | (binary coercible) | in assignment
--|  regcollation                | oid                         | (binary coercible) | yes
--|  regnamespace                | bigint                      |                    | in assignment
--|  regnamespace                | integer                     | (binary coercible) | in assignment
--|  regnamespace                | oid                         | (binary coercible) | yes
--|  regoper                     | bigint                      |                    | in assignment
--|  regoper                     | integer                     | (binary coercible) | in assignment
--|  regoper                     | oid                         | (binary coercible) | yes
--|  regoper                     | regoperator                 | (binary coercible) | yes
--|  regoperator                 | bigint                      |                    | in assignment
--|  regoperator                 | integer                     | (binary coercible) | in assignment
--|  regoperator                 | oid                         | (binary coercible) | yes
--|  regoperator                 | regoper                     | (binary coercible) | yes
--|  regproc                     | bigint                      |                    | in assignment
--|  regproc                     | integer                     | (binary coercible) | in assignment
--|  regproc                     | oid                         | (binary coercible) | yes
--|  regproc                     | regprocedure                | (binary coercible) | yes
--|  regprocedure                | bigint                      |                    | in assignment
--|  regprocedure                | integer                     | (binary coercible) | in assignment
--|  regprocedure                | oid                         | (binary coercible) | yes
--|  regprocedure                | regproc                     | (binary coercible) | yes
--|  regrole                     | bigint                      |                    | in assignment
--|  regrole                     | integer                     | (binary coercible) | in assignment
--|  regrole                     | oid                         | (binary coercible) | yes
--|  regtype                     | bigint                      |                    | in assignment
--|  regtype                     | integer                     | (binary coercible) | in assignment
--|  regtype                     | oid                         | (binary coercible) | yes
--|  smallint                    | bigint                      |                    | yes
--|  smallint                    | bytea                       |                    | no
--|  smallint                    | double precision            |                    | yes
--|  smallint                    | integer                     |                    | yes
--|  smallint                    | numeric                     |                    | yes
--|  smallint                    | oid                         |                    | yes
--|  smallint                    | real                        |                    | yes
--|  smallint                    | regclass                    |                    | yes
--|  smallint                    | regcollation                |                    | yes
--|  smallint                    | regnamespace                |                    | yes
--|  smallint                    | regoper                     |                    | yes
--|  smallint                    | regoperator                 |                    | yes
--|  smallint                    | regproc                     |                    | yes
--|  smallint                    | regprocedure                |                    | yes
--|  smallint                    | regrole                     |                    | yes
--|  smallint                    | regtype                     |                    | yes
--|  text                        | "char"                      |                    | in assignment
--|  text                        | character                   | (binary coercible) | yes
--|  text                        | character varying           | (binary coercible) | yes
--|  text                        | name                        |                    | yes
--|  text                        | regclass                    |                    | yes
--|  time with time zone         | time with time zone         |                    | yes
--|  time with time zone         | time without time zone      |                    | in assignment
--|  time without time zone      | interval                    |                    | yes
--|  time without time zone      | time with time zone         |                    | yes
--|  time without time zone      | time without time zone      |                    | yes
--|  timestamp with time zone    | date                        |                    | in assignment
--|  timestamp with time zone    | time with time zone         |                    | in assignment
--|  timestamp with time zone    | time without time zone      |                    | in assignment
--|  timestamp with time zone    | timestamp with time zone    |                    | yes
--|  timestamp with time zone    | timestamp without time zone |                    | in assignment
--|  timestamp without time zone | date                        |                    | in assignment
--|  timestamp without time zone | time without time zone      |                    | in assignment
--|  timestamp without time zone | timestamp with time zone    |                    | yes
--|  timestamp without time zone | timestamp without time zone |                    | yes
--|  xid8                        | xid                         |                    | no
--| (188 rows)
-- \do
SELECT n.nspname as "Schema",
  o.oprname AS "Name",
  CASE WHEN o.oprkind='l' THEN NULL ELSE pg_catalog.format_type(o.oprleft, NULL) END AS "Left arg type",
  CASE WHEN o.oprkind='r' THEN NULL ELSE pg_catalog.format_type(o.oprright, NULL) END AS "Right arg type",
  pg_catalog.format_type(o.oprresult, NULL) AS "Result type",
  coalesce(pg_catalog.obj_description(o.oid, 'pg_operator'),
           pg_catalog.obj_description(o.oprcode, 'pg_proc')) AS "Description"
FROM pg_catalog.pg_operator o
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
WHERE n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_operator_is_visible(o.oid)
ORDER BY 1, 2, 3, 4;
--|  Schema | Name | Left arg type | Right arg type | Result type | Description
--| --------+------+---------------+----------------+-------------+-------------
--| (0 rows)
-- \dconfig
SELECT s.name AS "Parameter", pg_catalog.current_setting(s.name) AS "Value"
FROM pg_catalog.pg_settings s
WHERE s.source <> 'default' AND
      s.setting IS DISTINCT FROM s.boot_val
ORDER BY 1;
--|     Parameter     | Value
--| ------------------+-------
--|  application_name | test
--|  fsync            | off
--| (2 rows)
-- \drds
SELECT rolname AS "Role", datname AS "Database",
pg_catalog.array_to_string(setconfig, E'\n') AS "Settings"
FROM pg_catalog.pg_db_role_setting s
LEFT JOIN pg_catalog.pg_database d ON d.oid = setdatabase
LEFT JOIN pg_catalog.pg_roles r ON r.oid = setrole
ORDER BY 1, 2;
--|  Role | Database | Settings
--| ------+----------+----------
--| (0 rows)
