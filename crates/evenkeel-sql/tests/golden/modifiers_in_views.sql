-- What views say of the modifiers of types: constants have theirs, and columns without their own are cast.

create table modified (v10 varchar(10), c5 char(5), n numeric(10,2), n0 numeric, ts timestamp(3), iv interval day to second(2), b3 bit(3), va varchar(4)[]);
--| CREATE TABLE
insert into modified values ('abc', 'jk', 12.34, 56.789, '2020-01-02 03:04:05.678', '1 day 02:03:04.55', '101', '{ab}');
--| INSERT 0 1
create view m1 as select null::varchar(10) as a, null::numeric(10,2) as b, null::char(4) as c, null::timestamp(3) as d, null::interval day as e, null::bit(3) as f, null::varchar(3)[] as g, null::int as h;
--| CREATE VIEW
create view m2 as select 'abc'::char(5) as a, 'ab'::varchar(2) as b, 1.23::numeric(10,2) as c, '2020-01-01 01:02:03.5'::timestamp(1) as d, '1 day'::interval day as e, '101'::bit(3) as f, '101'::varbit(5) as g, b'101' as h, 'x'::"char" as i, 'x'::name as j, interval '3' hour as k;
--| CREATE VIEW
create view m3 as select v10::varchar as a, v10::varchar(10) as b, v10::varchar(12) as c, n::numeric as d, n::numeric(10,2) as e, c5::bpchar as f, ts::timestamp as g, iv::interval as h, va::varchar[] as i, n::numeric as n, n0 from modified;
--| CREATE VIEW
create view m6 as select n::numeric as n, count(*) from modified group by n::numeric order by n::numeric;
--| CREATE VIEW
select viewname, definition from pg_views where viewname in ('m1', 'm2', 'm3', 'm6') order by 1;
--|  viewname |                            definition
--| ----------+-------------------------------------------------------------------
--|  m1       |  SELECT NULL::character varying(10) AS a,                        +
--|           |     NULL::numeric(10,2) AS b,                                    +
--|           |     NULL::character(4) AS c,                                     +
--|           |     NULL::timestamp(3) without time zone AS d,                   +
--|           |     NULL::interval day AS e,                                     +
--|           |     NULL::bit(3) AS f,                                           +
--|           |     NULL::character varying(3)[] AS g,                           +
--|           |     NULL::integer AS h;
--|  m2       |  SELECT 'abc'::character(5) AS a,                                +
--|           |     'ab'::character varying(2) AS b,                             +
--|           |     1.23::numeric(10,2) AS c,                                    +
--|           |     '2020-01-01 01:02:03.5'::timestamp(1) without time zone AS d,+
--|           |     '1 day'::interval day AS e,                                  +
--|           |     '101'::bit(3) AS f,                                          +
--|           |     '101'::bit varying(5) AS g,                                  +
--|           |     '101'::"bit" AS h,                                           +
--|           |     'x'::"char" AS i,                                            +
--|           |     'x'::name AS j,                                              +
--|           |     '03:00:00'::interval hour AS k;
--|  m3       |  SELECT (v10)::character varying AS a,                           +
--|           |     v10 AS b,                                                    +
--|           |     (v10)::character varying(12) AS c,                           +
--|           |     (n)::numeric AS d,                                           +
--|           |     n AS e,                                                      +
--|           |     (c5)::bpchar AS f,                                           +
--|           |     (ts)::timestamp without time zone AS g,                      +
--|           |     (iv)::interval AS h,                                         +
--|           |     (va)::character varying[] AS i,                              +
--|           |     (n)::numeric AS n,                                           +
--|           |     n0                                                           +
--|           |    FROM modified;
--|  m6       |  SELECT (n)::numeric AS n,                                       +
--|           |     count(*) AS count                                            +
--|           |    FROM modified                                                 +
--|           |   GROUP BY (n)::numeric                                          +
--|           |   ORDER BY (n)::numeric;
--| (4 rows)
select attrelid::regclass, attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid in ('m1'::regclass, 'm2'::regclass, 'm3'::regclass, 'm6'::regclass) order by 1, attnum;
--|  attrelid | attname |          format_type
--| ----------+---------+--------------------------------
--|  m1       | a       | character varying(10)
--|  m1       | b       | numeric(10,2)
--|  m1       | c       | character(4)
--|  m1       | d       | timestamp(3) without time zone
--|  m1       | e       | interval day
--|  m1       | f       | bit(3)
--|  m1       | g       | character varying(3)[]
--|  m1       | h       | integer
--|  m2       | a       | character(5)
--|  m2       | b       | character varying(2)
--|  m2       | c       | numeric(10,2)
--|  m2       | d       | timestamp(1) without time zone
--|  m2       | e       | interval day
--|  m2       | f       | bit(3)
--|  m2       | g       | bit varying(5)
--|  m2       | h       | "bit"
--|  m2       | i       | "char"
--|  m2       | j       | name
--|  m2       | k       | interval hour
--|  m3       | a       | character varying
--|  m3       | b       | character varying(10)
--|  m3       | c       | character varying(12)
--|  m3       | d       | numeric
--|  m3       | e       | numeric(10,2)
--|  m3       | f       | bpchar
--|  m3       | g       | timestamp without time zone
--|  m3       | h       | interval
--|  m3       | i       | character varying[]
--|  m3       | n       | numeric
--|  m3       | n0      | numeric
--|  m6       | n       | numeric
--|  m6       | count   | bigint
--| (32 rows)
