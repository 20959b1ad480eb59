-- Large objects: as PostgreSQL 18 answers, but for files on the server.
begin;
--| BEGIN
select lo_open(lo_create(4700), x'40000'::int);
--| ERROR:  42704: large object 4700 does not exist
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(lo_creat(-1), x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_open(lo_creat(-1), x'60000'::int);
--|  lo_open
--| ---------
--|        1
--| (1 row)
select loread(0, 10), lowrite(0, 'abc'), lo_tell(0), lo_lseek(0,0,0), loread(0,10), lo_tell64(0);
--|  loread | lowrite | lo_tell | lo_lseek |  loread  | lo_tell64
--| --------+---------+---------+----------+----------+-----------
--|  \x     |       3 |       3 |        0 | \x616263 |         3
--| (1 row)
rollback;
--| ROLLBACK
select lo_create(4711);
--|  lo_create
--| -----------
--|       4711
--| (1 row)
select lo_create(4711);
--| ERROR:  23505: duplicate key value violates unique constraint "pg_largeobject_metadata_oid_index"
--| DETAIL:  Key (oid)=(4711) already exists.
select lo_create(-1);
--|  lo_create
--| ------------
--|  4294967295
--| (1 row)
select lo_unlink(4711);
--|  lo_unlink
--| -----------
--|          1
--| (1 row)
select lo_unlink(4711);
--| ERROR:  42704: large object 4711 does not exist
select lo_open(4711, x'60000'::int);
--| ERROR:  42704: large object 4711 does not exist
select lo_open(4711, 0);
--| ERROR:  22023: invalid flags for opening a large object: 0
select lo_close(3);
--| ERROR:  42704: invalid large-object descriptor: 3
select loread(0, 3);
--| ERROR:  42704: invalid large-object descriptor: 0
select lowrite(0, 'x');
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_lseek(0, 1, 1);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_lseek64(0, 1, 1);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_tell(0);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_tell64(0);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_truncate(0,0);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_truncate64(0,0);
--| ERROR:  42704: invalid large-object descriptor: 0
select lo_create(4712);
--|  lo_create
--| -----------
--|       4712
--| (1 row)
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_lseek(0, -1, 0);
--| ERROR:  22023: invalid large object seek target: -1
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_lseek(0, 5, 7);
--| ERROR:  22023: invalid whence setting: 7
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lowrite(0, 'x');
--| ERROR:  55000: large object descriptor 0 was not opened for writing
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_truncate(0, 0);
--| ERROR:  55000: large object descriptor 0 was not opened for writing
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_truncate(1, -1);
--| ERROR:  22023: invalid large object truncation target: -1
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select loread(1, -1);
--|  loread
--| --------
--|  \x
--| (1 row)
select loread(1, 100);
--|  loread
--| --------
--|  \x
--| (1 row)
select lo_lseek64(1, 5000000000, 0);
--|  lo_lseek64
--| ------------
--|  5000000000
--| (1 row)
select lo_tell64(1);
--|  lo_tell64
--| ------------
--|  5000000000
--| (1 row)
select lo_tell(1);
--| ERROR:  22003: lo_tell result out of range for large-object descriptor 1
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_lseek64(1, 5000000000, 0);
--|  lo_lseek64
--| ------------
--|  5000000000
--| (1 row)
select lo_lseek(1, 1, 1);
--| ERROR:  22003: lo_lseek result out of range for large-object descriptor 1
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int), lo_open(4712, x'20000'::int);
--|  lo_open | lo_open
--| ---------+---------
--|        0 |       1
--| (1 row)
select lo_lseek64(1, 4398046509057, 0);
--| ERROR:  22023: invalid large object seek target: 4398046509057
select lo_lseek64(1, 4398046511104, 0);
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'20000'::int); 
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_lseek64(0, 4398044413952, 0);
--|   lo_lseek64
--| ---------------
--|  4398044413952
--| (1 row)
select lowrite(0, 'abc');
--|  lowrite
--| ---------
--|        3
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'20000'::int); 
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_lseek64(0, 4398044413951, 0);
--|   lo_lseek64
--| ---------------
--|  4398044413951
--| (1 row)
select lowrite(0, 'abc');
--|  lowrite
--| ---------
--|        3
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'20000'::int); 
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate64(0, 4398044413953);
--|  lo_truncate64
--| ---------------
--|              0
--| (1 row)
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'20000'::int); 
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate64(0, 4398044413952);
--|  lo_truncate64
--| ---------------
--|              0
--| (1 row)
select lo_lseek64(0, 0, 2);
--|   lo_lseek64
--| ---------------
--|  4398044413952
--| (1 row)
rollback;
--| ROLLBACK
select lo_get(4712), lo_get(4712, 0, 10), lo_get(4712, 1000000, 10);
--|  lo_get | lo_get | lo_get
--| --------+--------+--------
--|  \x     | \x     | \x
--| (1 row)
select lo_get(4712, -1, 10);
--| ERROR:  22023: invalid large object seek target: -1
select lo_get(4712, 0, -10);
--| ERROR:  22023: requested length cannot be negative
select lo_put(4712, 0, 'hello');
--|  lo_put
--| --------
--|
--| (1 row)
select lo_put(4712, -1, 'hello');
--| ERROR:  22023: invalid large object seek target: -1
select lo_put(99, 1, 'hello');
--| ERROR:  42704: large object 99 does not exist
select lo_get(99);
--| ERROR:  42704: large object 99 does not exist
select lo_get(4712), lo_get(4712, 1, 3), lo_get(4712, 3, 10);
--|     lo_get    |  lo_get  | lo_get
--| --------------+----------+--------
--|  \x68656c6c6f | \x656c6c | \x6c6f
--| (1 row)
select lo_put(4712, 5000, 'tail');
--|  lo_put
--| --------
--|
--| (1 row)
select length(lo_get(4712)), md5(lo_get(4712));
--|  length |               md5
--| --------+----------------------------------
--|    5004 | bf6314b6a113d25c72eb33477faa386e
--| (1 row)
select loid, pageno, length(data) from pg_largeobject order by 1,2;
--|  loid | pageno | length
--| ------+--------+--------
--|  4712 |      0 |      5
--|  4712 |      2 |    908
--| (2 rows)
select lo_put(4712, 9000, 'tail');
--|  lo_put
--| --------
--|
--| (1 row)
select loid, pageno, length(data) from pg_largeobject order by 1,2;
--|  loid | pageno | length
--| ------+--------+--------
--|  4712 |      0 |      5
--|  4712 |      2 |    908
--|  4712 |      4 |    812
--| (3 rows)
select md5(lo_get(4712));
--|                md5
--| ----------------------------------
--|  88d15e10bdaf8c655905ee83d755141e
--| (1 row)
begin;
--| BEGIN
select lo_open(4712, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate(0, 4500);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
select loid, pageno, length(data) from pg_largeobject order by 1,2;
--|  loid | pageno | length
--| ------+--------+--------
--|  4712 |      0 |      5
--|  4712 |      2 |    404
--| (2 rows)
select lo_truncate(0, 7500);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
select loid, pageno, length(data) from pg_largeobject order by 1,2;
--|  loid | pageno | length
--| ------+--------+--------
--|  4712 |      0 |      5
--|  4712 |      2 |    404
--|  4712 |      3 |   1356
--| (3 rows)
select md5(lo_get(4712));
--|                md5
--| ----------------------------------
--|  d62981eb8a1ad29f8f253884524ac46d
--| (1 row)
commit;
--| COMMIT
select md5(lo_get(4712));
--|                md5
--| ----------------------------------
--|  d62981eb8a1ad29f8f253884524ac46d
--| (1 row)
select lo_from_bytea(0, 'x') > 0;
--|  ?column?
--| ----------
--|  t
--| (1 row)
select lo_from_bytea(4713, 'xyz'), lo_get(4713);
--| ERROR:  42704: large object 4713 does not exist
select lo_get(4713);
--| ERROR:  42704: large object 4713 does not exist
select lo_from_bytea(4713, 'xyz');
--|  lo_from_bytea
--| ---------------
--|           4713
--| (1 row)
select lo_from_bytea(4714, decode(repeat('00ff', 3000), 'hex'));
--|  lo_from_bytea
--| ---------------
--|           4714
--| (1 row)
select loid, pageno, length(data) from pg_largeobject where loid=4714 order by 1,2;
--|  loid | pageno | length
--| ------+--------+--------
--|  4714 |      0 |   2048
--|  4714 |      1 |   2048
--|  4714 |      2 |   1904
--| (3 rows)
select oid, lomowner, lomacl from pg_largeobject_metadata where oid = 4714;
--|  oid  | lomowner | lomacl
--| ------+----------+--------
--|  4714 |       10 |
--| (1 row)
begin read only;
--| BEGIN
select lo_create(5);
--| ERROR:  25006: cannot execute lo_create() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_creat(5);
--| ERROR:  25006: cannot execute lo_creat() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_unlink(4712);
--| ERROR:  25006: cannot execute lo_unlink() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_open(4712, x'20000'::int);
--| ERROR:  25006: cannot execute lo_open(INV_WRITE) in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_put(4712, 0, 'x');
--| ERROR:  25006: cannot execute lo_put() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_from_bytea(0, 'x');
--| ERROR:  25006: cannot execute lo_from_bytea() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_open(4712, x'40000'::int), loread(0, 3);
--|  lo_open |  loread
--| ---------+----------
--|        0 | \x68656c
--| (1 row)
select lowrite(0, 'x');
--| ERROR:  25006: cannot execute lowrite() in a read-only transaction
rollback;
--| ROLLBACK
begin read only;
--| BEGIN
select lo_import('/nowhere');
--| ERROR:  25006: cannot execute lo_import() in a read-only transaction
rollback;
--| ROLLBACK
select lo_truncate(0,1);
--| ERROR:  42704: invalid large-object descriptor: 0
begin; 
--| BEGIN
savepoint a;
--| SAVEPOINT
select lo_open(4712, x'60000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lowrite(0, 'HELLO');
--|  lowrite
--| ---------
--|        5
--| (1 row)
release a;
--| RELEASE
select lo_tell(0);
--|  lo_tell
--| ---------
--|        5
--| (1 row)
savepoint b;
--| SAVEPOINT
select lo_open(4712, x'40000'::int);
--|  lo_open
--| ---------
--|        1
--| (1 row)
select lo_lseek(0, 2, 0);
--|  lo_lseek
--| ----------
--|         2
--| (1 row)
rollback to b;
--| ROLLBACK
select lo_tell(0);
--|  lo_tell
--| ---------
--|        2
--| (1 row)
select lo_tell(1);
--| ERROR:  42704: invalid large-object descriptor: 1
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_open(4712, x'60000'::int);
--|  lo_open
--| ---------
--|        1
--| (1 row)
select lowrite(1, 'second');
--|  lowrite
--| ---------
--|        6
--| (1 row)
select loread(0, 6);
--|      loread
--| ----------------
--|  \x68656c6c6f00
--| (1 row)
select lo_lseek(1,0,0), loread(1, 6);
--|  lo_lseek |     loread
--| ----------+----------------
--|         0 | \x7365636f6e64
--| (1 row)
select lo_close(0), lo_close(0);
--| ERROR:  42704: invalid large-object descriptor: 0
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4712, x'40000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_open(4712, x'60000'::int);
--|  lo_open
--| ---------
--|        1
--| (1 row)
select lo_unlink(4712);
--|  lo_unlink
--| -----------
--|          1
--| (1 row)
select loread(1, 6);
--| ERROR:  42704: invalid large-object descriptor: 1
select loread(0, 6);
--| ERROR:  25P02: current transaction is aborted, commands ignored until end of transaction block
rollback;
--| ROLLBACK
-- Files on the server are not supported: PostgreSQL says 58P01 here.
select lo_import('/nowhere/file');
--| ERROR:  0A000: lo_import with a file on the server is not supported
--| HINT:  psql's \lo_import and \lo_export, and libpq's functions of these names, go by files of the client.
select lo_export(4712, '/nowhere/file');
--| ERROR:  0A000: lo_export with a file on the server is not supported
--| HINT:  psql's \lo_import and \lo_export, and libpq's functions of these names, go by files of the client.
select lo_lseek(lo_open(4712, x'40000'::int), 0, 2);
--|  lo_lseek
--| ----------
--|      7500
--| (1 row)
select has_largeobject_privilege(4712, 'select'), has_largeobject_privilege('postgres', 4712, 'update'), has_largeobject_privilege(10::oid, 99, 'select');
--|  has_largeobject_privilege | has_largeobject_privilege | has_largeobject_privilege
--| ---------------------------+---------------------------+---------------------------
--|  t                         | t                         |
--| (1 row)
-- What reads by a snapshot sees no later changes of its own transaction, and a function that writes is seen by the next that writes.
begin;
--| BEGIN
select lo_open(4712, x'40000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_put(4712, 0, 'changed');
--|  lo_put
--| --------
--|
--| (1 row)
select loread(0, 7), lo_get(4712, 0, 7);
--|       loread      |      lo_get
--| ------------------+------------------
--|  \x68656c6c6f0000 | \x6368616e676564
--| (1 row)
commit;
--| COMMIT
select lo_get(4712, 0, 7);
--|       lo_get
--| ------------------
--|  \x6368616e676564
--| (1 row)
-- REPEATABLE READ: what is written goes on from what is there now.
begin isolation level repeatable read;
--| BEGIN
select count(*) from pg_largeobject_metadata;
--|  count
--| -------
--|      5
--| (1 row)
-- session other
select lo_put(4712, 3, 'OTHER');
--|  lo_put
--| --------
--|
--| (1 row)
-- session main
select lo_get(4712, 0, 10);
--|          lo_get
--| ------------------------
--|  \x6368616e676564000000
--| (1 row)
select lo_open(4712, x'60000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select loread(0, 10);
--|          loread
--| ------------------------
--|  \x6368614f544845520000
--| (1 row)
select lo_lseek(0, 0, 0), lowrite(0, 'mine');
--|  lo_lseek | lowrite
--| ----------+---------
--|         0 |       4
--| (1 row)
commit;
--| COMMIT
select lo_get(4712, 0, 10);
--|          lo_get
--| ------------------------
--|  \x6d696e65544845520000
--| (1 row)
-- A reader keeps what it has opened; READ COMMITTED.
begin;
--| BEGIN
select lo_open(4712, x'40000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
-- session other
begin;
--| BEGIN
select lo_open(4712, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate(0, 2);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
commit;
--| COMMIT
-- session main
select loread(0, 10), lo_lseek(0, 0, 2), lo_get(4712);
--|          loread         | lo_lseek | lo_get
--| ------------------------+----------+--------
--|  \x6d696e65544845520000 |     7500 | \x6d69
--| (1 row)
-- session other
select lo_unlink(4712);
--|  lo_unlink
--| -----------
--|          1
--| (1 row)
-- session main
select lo_lseek(0, 0, 0), loread(0, 10);
--|  lo_lseek |         loread
--| ----------+------------------------
--|         0 | \x6d696e65544845520000
--| (1 row)
select lo_open(4712, x'40000'::int);
--| ERROR:  42704: large object 4712 does not exist
rollback;
--| ROLLBACK
-- An object goes with the transaction that made it.
begin;
--| BEGIN
select lo_from_bytea(4720, 'abc');
--|  lo_from_bytea
--| ---------------
--|           4720
--| (1 row)
savepoint s;
--| SAVEPOINT
select lo_put(4720, 3, 'def');
--|  lo_put
--| --------
--|
--| (1 row)
select lo_get(4720);
--|      lo_get
--| ----------------
--|  \x616263646566
--| (1 row)
rollback to s;
--| ROLLBACK
select lo_get(4720);
--|   lo_get
--| ----------
--|  \x616263
--| (1 row)
rollback;
--| ROLLBACK
select lo_get(4720);
--| ERROR:  42704: large object 4720 does not exist
-- Many pages.
select lo_from_bytea(4721, decode(repeat('00112233445566778899aabbccddeeff', 100000), 'hex'));
--|  lo_from_bytea
--| ---------------
--|           4721
--| (1 row)
select count(*), sum(length(data)) from pg_largeobject where loid = 4721;
--|  count |   sum
--| -------+---------
--|    782 | 1600000
--| (1 row)
select md5(lo_get(4721)) = md5(decode(repeat('00112233445566778899aabbccddeeff', 100000), 'hex')) as same;
--|  same
--| ------
--|  t
--| (1 row)
select lo_get(4721, 2040, 16);
--|                lo_get
--| ------------------------------------
--|  \x8899aabbccddeeff0011223344556677
--| (1 row)
select lo_put(4721, 2040, 'across two pages');
--|  lo_put
--| --------
--|
--| (1 row)
select convert_from(lo_get(4721, 2040, 16), 'UTF8');
--|    convert_from
--| ------------------
--|  across two pages
--| (1 row)
begin;
--| BEGIN
select lo_open(4721, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate(0, 4096);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
select lo_lseek(0, 0, 2);
--|  lo_lseek
--| ----------
--|      4096
--| (1 row)
select lo_truncate(0, 1);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
select lo_truncate(0, 0);
--|  lo_truncate
--| -------------
--|            0
--| (1 row)
select lo_lseek(0, 0, 2);
--|  lo_lseek
--| ----------
--|         0
--| (1 row)
commit;
--| COMMIT
select loid, pageno, length(data) from pg_largeobject where loid = 4721;
--|  loid | pageno | length
--| ------+--------+--------
--|  4721 |      0 |      0
--| (1 row)
-- At the end that an object may have.
begin;
--| BEGIN
select lo_open(4721, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_lseek64(0, 4398046509055, 0);
--|   lo_lseek64
--| ---------------
--|  4398046509055
--| (1 row)
select lowrite(0, 'ab');
--| ERROR:  22023: invalid large object write request size: 2
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4721, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_lseek64(0, 4398046509055, 0);
--|   lo_lseek64
--| ---------------
--|  4398046509055
--| (1 row)
select lowrite(0, 'a');
--|  lowrite
--| ---------
--|        1
--| (1 row)
select lo_lseek64(0, 0, 2);
--|   lo_lseek64
--| ---------------
--|  4398046509056
--| (1 row)
select lo_get(4721);
--| ERROR:  54000: large object read request is too large
rollback;
--| ROLLBACK
begin;
--| BEGIN
select lo_open(4721, x'20000'::int);
--|  lo_open
--| ---------
--|        0
--| (1 row)
select lo_truncate64(0, 4398046509057);
--| ERROR:  22023: invalid large object truncation target: 4398046509057
rollback;
--| ROLLBACK
select lo_creat(null), lo_get(null), lo_unlink(null);
--|  lo_creat | lo_get | lo_unlink
--| ----------+--------+-----------
--|           |        |
--| (1 row)
-- In the statement of a change.
create table of_objects (id int, o oid);
--| CREATE TABLE
insert into of_objects select n, lo_from_bytea((4800 + n)::oid, ('object ' || n)::bytea) from generate_series(1, 3) n;
--| INSERT 0 3
select id, convert_from(lo_get(o), 'UTF8') from of_objects order by id;
--|  id | convert_from
--| ----+--------------
--|   1 | object 1
--|   2 | object 2
--|   3 | object 3
--| (3 rows)
update of_objects set id = id + lowrite(lo_open(o, x'20000'::int), 'OB') returning id, lo_get(o);
--|  id |       lo_get
--| ----+--------------------
--|   3 | \x6f626a6563742031
--|   4 | \x6f626a6563742032
--|   5 | \x6f626a6563742033
--| (3 rows)
--| UPDATE 3
select id, convert_from(lo_get(o), 'UTF8') from of_objects order by id;
--|  id | convert_from
--| ----+--------------
--|   3 | OBject 1
--|   4 | OBject 2
--|   5 | OBject 3
--| (3 rows)
select lo_unlink(l.oid) from pg_largeobject_metadata l where not exists (select 1 from of_objects where o = l.oid);
--|  lo_unlink
--| -----------
--|          1
--|          1
--|          1
--|          1
--|          1
--| (5 rows)
select oid from pg_largeobject_metadata order by oid;
--|  oid
--| ------
--|  4801
--|  4802
--|  4803
--| (3 rows)
delete from pg_largeobject;
--| ERROR:  42501: permission denied: "pg_largeobject" is a system catalog
drop table of_objects;
--| DROP TABLE
select lo_unlink(oid) from pg_largeobject_metadata;
--|  lo_unlink
--| -----------
--|          1
--|          1
--|          1
--| (3 rows)
select count(*) from pg_largeobject;
--|  count
--| -------
--|      0
--| (1 row)
