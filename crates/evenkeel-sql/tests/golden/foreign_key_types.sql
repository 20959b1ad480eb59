-- Foreign keys between columns of different types: what is compared, cascaded values become the referencing column's, domains among them.

create table p8 (id bigint primary key);
--| CREATE TABLE
create table c4 (id int references p8 on update cascade on delete set null);
--| CREATE TABLE
insert into p8 values (1), (2), (3000000000); insert into c4 values (1), (2);
--| INSERT 0 3
--| INSERT 0 2
update p8 set id = 5 where id = 1;
--| UPDATE 1
update p8 set id = 5000000000 where id = 2;
--| ERROR:  22003: integer out of range
insert into c4 values (3);
--| ERROR:  23503: insert or update on table "c4" violates foreign key constraint "c4_id_fkey"
--| DETAIL:  Key (id)=(3) is not present in table "p8".
delete from p8 where id = 5;
--| DELETE 1
select * from c4 order by 1; select * from p8 order by 1;
--|  id
--| ----
--|   2
--|
--| (2 rows)
--|      id
--| ------------
--|           2
--|  3000000000
--| (2 rows)
create table c8 (id bigint references p8 on update cascade); create table p4 (id int primary key); create table c84 (id bigint references p4 on update cascade);
--| CREATE TABLE
--| CREATE TABLE
--| CREATE TABLE
insert into p4 values (1); insert into c84 values (1); update p4 set id = 7; select id, pg_typeof(id) from c84;
--| INSERT 0 1
--| INSERT 0 1
--| UPDATE 1
--|  id | pg_typeof
--| ----+-----------
--|   7 | bigint
--| (1 row)
delete from p4;
--| ERROR:  23503: update or delete on table "p4" violates foreign key constraint "c84_id_fkey" on table "c84"
--| DETAIL:  Key (id)=(7) is still referenced from table "c84".

create domain small as int check (value < 10); create domain needed as int not null;
--| CREATE DOMAIN
--| CREATE DOMAIN
create table pd (id int primary key); insert into pd values (1), (2);
--| CREATE TABLE
--| INSERT 0 2
create table cd (id small references pd on update cascade, e needed references pd on delete set null);
--| CREATE TABLE
insert into cd values (1, 2);
--| INSERT 0 1
update pd set id = 50 where id = 1;
--| ERROR:  23514: value for domain small violates check constraint "small_check"
update pd set id = 9 where id = 1;
--| UPDATE 1
delete from pd where id = 2;
--| ERROR:  23502: domain needed does not allow null values
select * from cd;
--|  id | e
--| ----+---
--|   9 | 2
--| (1 row)
create table pt (id text primary key); create table ct (id varchar(3) references pt on update cascade);
--| CREATE TABLE
--| CREATE TABLE
insert into pt values ('a'); insert into ct values ('a');
--| INSERT 0 1
--| INSERT 0 1
update pt set id = 'abcdef';
--| ERROR:  22001: value too long for type character varying(3)
update pt set id = 'abc'; select * from ct;
--| UPDATE 1
--|  id
--| -----
--|  abc
--| (1 row)

-- numeric and floats
create table pn (id numeric primary key); insert into pn values (1), (2.0), (2.5), (3e20);
--| CREATE TABLE
--| INSERT 0 4
create table cn (a int references pn on update cascade on delete cascade, b bigint references pn, c smallint references pn);
--| CREATE TABLE
insert into cn values (1, 2, 2);
--| INSERT 0 1
insert into cn values (3, null, null);
--| ERROR:  23503: insert or update on table "cn" violates foreign key constraint "cn_a_fkey"
--| DETAIL:  Key (a)=(3) is not present in table "pn".
create index on cn (a);
--| CREATE INDEX
update pn set id = 4 where id = 1; select * from cn;
--| UPDATE 1
--|  a | b | c
--| ---+---+---
--|  4 | 2 | 2
--| (1 row)
update pn set id = 4.5 where id = 4;
--| ERROR:  23503: insert or update on table "cn" violates foreign key constraint "cn_a_fkey"
--| DETAIL:  Key (a)=(5) is not present in table "pn".
update pn set id = 6 where id = 2;
--| ERROR:  23503: update or delete on table "pn" violates foreign key constraint "cn_b_fkey" on table "cn"
--| DETAIL:  Key (id)=(2.0) is still referenced from table "cn".
delete from pn where id = 2.5;
--| DELETE 1
delete from pn where id = 4; select * from cn; select * from pn order by 1;
--| DELETE 1
--|  a | b | c
--| ---+---+---
--| (0 rows)
--|           id
--| -----------------------
--|                    2.0
--|  300000000000000000000
--| (2 rows)
create table pf (id double precision primary key); insert into pf values (1), (0.1), (9007199254740992), ('inf'), ('nan'), (-0.0);
--| CREATE TABLE
--| INSERT 0 6
create table cf (a int references pf, b bigint references pf, c numeric references pf, d real references pf);
--| CREATE TABLE
insert into cf values (1, 9007199254740993, 0.1, 1);
--| INSERT 0 1
insert into cf values (null, null, null, 0.1);
--| ERROR:  23503: insert or update on table "cf" violates foreign key constraint "cf_d_fkey"
--| DETAIL:  Key (d)=(0.1) is not present in table "pf".
insert into cf values (0, 0, 'nan', 'inf');
--| INSERT 0 1
insert into cf values (2, null, null, null);
--| ERROR:  23503: insert or update on table "cf" violates foreign key constraint "cf_a_fkey"
--| DETAIL:  Key (a)=(2) is not present in table "pf".
insert into cf values (null, null, 1e400, null);
--| ERROR:  22003: "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" is out of range for type double precision
delete from pf where id = 9007199254740992;
--| ERROR:  23503: update or delete on table "pf" violates foreign key constraint "cf_b_fkey" on table "cf"
--| DETAIL:  Key (id)=(9.007199254740992e+15) is still referenced from table "cf".
delete from pf where id = 0.1;
--| ERROR:  23503: update or delete on table "pf" violates foreign key constraint "cf_c_fkey" on table "cf"
--| DETAIL:  Key (id)=(0.1) is still referenced from table "cf".
delete from pf where id = 0;
--| ERROR:  23503: update or delete on table "pf" violates foreign key constraint "cf_a_fkey" on table "cf"
--| DETAIL:  Key (id)=(0) is still referenced from table "cf".
delete from pf where id = 'nan';
--| ERROR:  23503: update or delete on table "pf" violates foreign key constraint "cf_c_fkey" on table "cf"
--| DETAIL:  Key (id)=(NaN) is still referenced from table "cf".
update pf set id = 5 where id = 'inf';
--| ERROR:  23503: update or delete on table "pf" violates foreign key constraint "cf_d_fkey" on table "cf"
--| DETAIL:  Key (id)=(Infinity) is still referenced from table "cf".
delete from cf; delete from pf;
--| DELETE 2
--| DELETE 6
create table pr (id real primary key); insert into pr values (1), (0.1), (16777216);
--| CREATE TABLE
--| INSERT 0 3
create table cr (a int references pr, b double precision references pr, c numeric references pr);
--| CREATE TABLE
insert into cr values (16777217, 1, 0.1);
--| INSERT 0 1
insert into cr values (null, 0.1, null);
--| ERROR:  23503: insert or update on table "cr" violates foreign key constraint "cr_b_fkey"
--| DETAIL:  Key (b)=(0.1) is not present in table "pr".
delete from pr where id = 16777216;
--| ERROR:  23503: update or delete on table "pr" violates foreign key constraint "cr_a_fkey" on table "cr"
--| DETAIL:  Key (id)=(1.6777216e+07) is still referenced from table "cr".
delete from pr where id = 1;
--| ERROR:  23503: update or delete on table "pr" violates foreign key constraint "cr_b_fkey" on table "cr"
--| DETAIL:  Key (id)=(1) is still referenced from table "cr".
delete from pr where id = 0.1::real;
--| ERROR:  23503: update or delete on table "pr" violates foreign key constraint "cr_c_fkey" on table "cr"
--| DETAIL:  Key (id)=(0.1) is still referenced from table "cr".

-- days, texts
create table pts (id timestamp primary key); create table pda (id date primary key);
--| CREATE TABLE
--| CREATE TABLE
insert into pts values ('2024-01-01'), ('2024-01-02 12:00'); insert into pda values ('2024-01-01'), ('2024-01-02'), ('infinity');
--| INSERT 0 2
--| INSERT 0 3
create table cda (a date references pts, b timestamp references pda);
--| CREATE TABLE
insert into cda values ('2024-01-01', '2024-01-02');
--| INSERT 0 1
insert into cda values ('2024-01-02', null);
--| ERROR:  23503: insert or update on table "cda" violates foreign key constraint "cda_a_fkey"
--| DETAIL:  Key (a)=(2024-01-02) is not present in table "pts".
insert into cda values (null, '2024-01-02 12:00');
--| ERROR:  23503: insert or update on table "cda" violates foreign key constraint "cda_b_fkey"
--| DETAIL:  Key (b)=(2024-01-02 12:00:00) is not present in table "pda".
insert into cda values (null, 'infinity');
--| INSERT 0 1
delete from pts where id = '2024-01-01';
--| ERROR:  23503: update or delete on table "pts" violates foreign key constraint "cda_a_fkey" on table "cda"
--| DETAIL:  Key (id)=(2024-01-01 00:00:00) is still referenced from table "cda".
delete from pda where id = '2024-01-02';
--| ERROR:  23503: update or delete on table "pda" violates foreign key constraint "cda_b_fkey" on table "cda"
--| DETAIL:  Key (id)=(2024-01-02) is still referenced from table "cda".
delete from pts where id > '2024-01-01'; delete from pda where id = '2024-01-01';
--| DELETE 1
--| DELETE 1
create table pc (id char(4) primary key); create table pe (id text primary key); insert into pc values ('a'), ('b'); insert into pe values ('a'), ('b ');
--| CREATE TABLE
--| CREATE TABLE
--| INSERT 0 2
--| INSERT 0 2
create table cc (a text references pc, b char(3) references pe, c varchar references pc);
--| CREATE TABLE
insert into cc values ('a', 'a', 'b  ');
--| INSERT 0 1
insert into cc values (null, 'b', null);
--| ERROR:  23503: insert or update on table "cc" violates foreign key constraint "cc_b_fkey"
--| DETAIL:  Key (b)=(b  ) is not present in table "pe".
delete from pc where id = 'a';
--| ERROR:  23503: update or delete on table "pc" violates foreign key constraint "cc_a_fkey" on table "cc"
--| DETAIL:  Key (id)=(a   ) is still referenced from table "cc".
delete from pc where id = 'b';
--| ERROR:  23503: update or delete on table "pc" violates foreign key constraint "cc_c_fkey" on table "cc"
--| DETAIL:  Key (id)=(b   ) is still referenced from table "cc".
delete from pe where id = 'a';
--| ERROR:  23503: update or delete on table "pe" violates foreign key constraint "cc_b_fkey" on table "cc"
--| DETAIL:  Key (id)=(a) is still referenced from table "cc".
delete from pe where id = 'b ';
--| DELETE 1
create table pname (id name primary key);
--| CREATE TABLE
create table cname (a text references pname);
--| CREATE TABLE
insert into pname values ('x');
--| INSERT 0 1
insert into cname values ('x');
--| INSERT 0 1
insert into cname values ('y');
--| ERROR:  23503: insert or update on table "cname" violates foreign key constraint "cname_a_fkey"
--| DETAIL:  Key (a)=(y) is not present in table "pname".
delete from pname;
--| ERROR:  23503: update or delete on table "pname" violates foreign key constraint "cname_a_fkey" on table "cname"
--| DETAIL:  Key (id)=(x) is still referenced from table "cname".

-- several columns, deferred, of the table itself, new constraints
create table pm (a numeric, b text, primary key (b, a)); insert into pm values (1, 'x'), (2, 'x');
--| CREATE TABLE
--| INSERT 0 2
create table cm (n int, t varchar(5), foreign key (n, t) references pm (a, b) on update cascade deferrable initially deferred);
--| CREATE TABLE
create index on cm (t, n);
--| CREATE INDEX
begin; insert into cm values (3, 'x'); insert into pm values (3.00, 'x'); commit;
--| BEGIN
--| INSERT 0 1
--| INSERT 0 1
--| COMMIT
begin; insert into cm values (4, 'x'); commit;
--| ERROR:  23503: insert or update on table "cm" violates foreign key constraint "cm_n_t_fkey"
--| DETAIL:  Key (n, t)=(4, x) is not present in table "pm".
update pm set a = 8, b = 'y' where a = 3; select * from cm;
--| UPDATE 1
--|  n | t
--| ---+---
--|  8 | y
--| (1 row)
delete from pm where a = 8;
--| ERROR:  23503: update or delete on table "pm" violates foreign key constraint "cm_n_t_fkey" on table "cm"
--| DETAIL:  Key (a, b)=(8, y) is still referenced from table "cm".
delete from pm where a = 1;
--| DELETE 1
create table self (id numeric primary key, up int references self);
--| CREATE TABLE
insert into self values (1, null), (2, 1);
--| INSERT 0 2
insert into self values (3, 4), (4, 3);
--| INSERT 0 2
insert into self values (5, 6);
--| ERROR:  23503: insert or update on table "self" violates foreign key constraint "self_up_fkey"
--| DETAIL:  Key (up)=(6) is not present in table "self".
delete from self where id = 1;
--| ERROR:  23503: update or delete on table "self" violates foreign key constraint "self_up_fkey" on table "self"
--| DETAIL:  Key (id)=(1) is still referenced from table "self".
create table late (n int);
--| CREATE TABLE
insert into late values (1), (2);
--| INSERT 0 2
alter table late add foreign key (n) references pm (a);
--| ERROR:  42830: there is no unique constraint matching given keys for referenced table "pm"
create unique index on pm (a);
--| CREATE INDEX
alter table late add constraint late_fk foreign key (n) references pm (a);
--| ERROR:  23503: insert or update on table "late" violates foreign key constraint "late_fk"
--| DETAIL:  Key (n)=(1) is not present in table "pm".
insert into pm values (1, 'z');
--| INSERT 0 1
alter table late add constraint late_fk foreign key (n) references pm (a);
--| ALTER TABLE
insert into late values (7);
--| ERROR:  23503: insert or update on table "late" violates foreign key constraint "late_fk"
--| DETAIL:  Key (n)=(7) is not present in table "pm".
alter table late alter n type bigint; alter table late alter n type text;
--| ERROR:  42804: foreign key constraint "late_fk" cannot be implemented
--| DETAIL:  Key columns "n" of the referencing table and "a" of the referenced table are of incompatible types: text and numeric.
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid in ('late'::regclass, 'cm'::regclass) and contype = 'f' order by 1;
--|    conname   |                                  pg_get_constraintdef
--| -------------+----------------------------------------------------------------------------------------
--|  cm_n_t_fkey | FOREIGN KEY (n, t) REFERENCES pm(a, b) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED
--|  late_fk     | FOREIGN KEY (n) REFERENCES pm(a)
--| (2 rows)

-- what is not compared
create table no1 (a numeric references p4);
--| ERROR:  42804: foreign key constraint "no1_a_fkey" cannot be implemented
--| DETAIL:  Key columns "a" of the referencing table and "id" of the referenced table are of incompatible types: numeric and integer.
create table no2 (a double precision references p8);
--| ERROR:  42804: foreign key constraint "no2_a_fkey" cannot be implemented
--| DETAIL:  Key columns "a" of the referencing table and "id" of the referenced table are of incompatible types: double precision and bigint.
create table no3 (a double precision references pn);
--| ERROR:  42804: foreign key constraint "no3_a_fkey" cannot be implemented
--| DETAIL:  Key columns "a" of the referencing table and "id" of the referenced table are of incompatible types: double precision and numeric.
create table no4 (a text references p4);
--| ERROR:  42804: foreign key constraint "no4_a_fkey" cannot be implemented
--| DETAIL:  Key columns "a" of the referencing table and "id" of the referenced table are of incompatible types: text and integer.
create table no5 (a timestamptz references pda);
--| ERROR:  0A000: foreign keys of type timestamp with time zone that refer to type date are not supported
create table no6 (a int references pt);
--| ERROR:  42804: foreign key constraint "no6_a_fkey" cannot be implemented
--| DETAIL:  Key columns "a" of the referencing table and "id" of the referenced table are of incompatible types: integer and text.
