-- Defaults that are strings are shown as PostgreSQL shows them, with the type that they have become.
create table f1 (a bigint default '0', b numeric(20,0) default '0', c float8 default '0.0000', d float8 default '100', e smallint default '5', f int default '-1', g real default '1.5', h numeric default '1', i numeric(10,2) default '0.00', j bigint default 0, k numeric default 0, l float8 default 1, m varchar(5) default 5, n bool default 't', o bool default '1', p bigint not null default '9999999999', q oid default '0', r date default '2020-01-01', s interval default '1 day', t bit(3) default '101', u char(3) default 'a', v text default '', w inet default '127.0.0.1', x uuid default '00000000-0000-0000-0000-000000000000', y smallint default 1, z numeric(5,1) default 1.55);
--| CREATE TABLE
select column_name, column_default from information_schema.columns where table_name = 'f1' order by ordinal_position;
--|  column_name |                column_default
--| -------------+----------------------------------------------
--|  a           | '0'::bigint
--|  b           | '0'::numeric
--|  c           | '0'::double precision
--|  d           | '100'::double precision
--|  e           | '5'::smallint
--|  f           | '-1'::integer
--|  g           | '1.5'::real
--|  h           | '1'::numeric
--|  i           | 0.00
--|  j           | 0
--|  k           | 0
--|  l           | 1
--|  m           | 5
--|  n           | true
--|  o           | true
--|  p           | '9999999999'::bigint
--|  q           | '0'::oid
--|  r           | '2020-01-01'::date
--|  s           | '1 day'::interval
--|  t           | '101'::"bit"
--|  u           | 'a'::bpchar
--|  v           | ''::text
--|  w           | '127.0.0.1'::inet
--|  x           | '00000000-0000-0000-0000-000000000000'::uuid
--|  y           | 1
--|  z           | 1.55
--| (26 rows)
insert into f1 default values;
--| INSERT 0 1
select * from f1;
--|  a | b | c |  d  | e | f  |  g  | h |  i   | j | k | l | m | n | o |     p      | q |     r      |   s   |  t  |  u  | v |     w     |                  x                   | y |  z
--| ---+---+---+-----+---+----+-----+---+------+---+---+---+---+---+---+------------+---+------------+-------+-----+-----+---+-----------+--------------------------------------+---+-----
--|  0 | 0 | 0 | 100 | 5 | -1 | 1.5 | 1 | 0.00 | 0 | 0 | 1 | 5 | t | t | 9999999999 | 0 | 2020-01-01 | 1 day | 101 | a   |   | 127.0.0.1 | 00000000-0000-0000-0000-000000000000 | 1 | 1.6
--| (1 row)
create table g2 (a bigint default 0::bigint, b float8 default 1.5::float8, c smallint default 5::int2, d numeric default 0::numeric, f numeric default '1.0'::numeric, g bigint default bigint '5', h float8 default '-1');
--| CREATE TABLE
select column_name, column_default from information_schema.columns where table_name = 'g2' order by ordinal_position;
--|  column_name |     column_default
--| -------------+-------------------------
--|  a           | (0)::bigint
--|  b           | (1.5)::double precision
--|  c           | (5)::smallint
--|  d           | (0)::numeric
--|  f           | 1.0
--|  g           | '5'::bigint
--|  h           | '-1'::double precision
--| (7 rows)
