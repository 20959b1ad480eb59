-- Keys of other databases have names, orders and comments of their indexes; columns have one default.
create table u (id int primary key);
--| CREATE TABLE
create table t (id int, x int);
--| CREATE TABLE
alter table t add a int asc;
--| ERROR:  42601: syntax error at or near "asc"
alter table t add a int desc, add b int;
--| ERROR:  42601: syntax error at or near "desc"
alter table t add unique k (id);
--| ERROR:  42601: syntax error at or near "k"
alter table t add primary key (id desc);
--| ERROR:  42601: syntax error at or near "desc"
alter table t add primary key (id asc);
--| ERROR:  42601: syntax error at or near "asc"
alter table t add primary key k (id);
--| ERROR:  42601: syntax error at or near "k"
alter table t add constraint fk foreign key fk_idx (id) references u (id);
--| ERROR:  42601: syntax error at or near "fk_idx"
create table a (id int, primary key (id desc));
--| ERROR:  42601: syntax error at or near "desc"
create table a (id int, primary key k (id));
--| ERROR:  42601: syntax error at or near "k"
create table a (id int, unique k (id));
--| ERROR:  42601: syntax error at or near "k"
create table a (id int, unique (id) comment 'x');
--| ERROR:  42601: syntax error at or near "comment"
create table a (id int, primary key (id) comment 'x');
--| ERROR:  42601: syntax error at or near "comment"
create table a (id int, foreign key k (id) references u (id));
--| ERROR:  42601: syntax error at or near "k"
create table a (id int default 1 default 2);
--| ERROR:  42601: multiple default values specified for column "id" of table "a"
create table a (id int default 1 not null default 2);
--| ERROR:  42601: multiple default values specified for column "id" of table "a"
create table a (id varchar(5 octets));
--| ERROR:  42601: syntax error at or near "octets"
create table a (id char(5 characters));
--| ERROR:  42601: syntax error at or near "characters"
create table a (id float(20, 2));
--| ERROR:  42601: syntax error at or near ","

-- What PostgreSQL has instead.
create table a (id int default 1, octets int, characters varchar(5), v float(20), exclude using btree (octets desc with =),
  constraint k primary key (id) include (v) with (fillfactor = 70), unique nulls not distinct (octets, characters) deferrable);
--| CREATE TABLE
alter table a add constraint l unique (v) include (id) with (fillfactor = 80), alter column octets set default 5, add "asc" int, add "desc" int default 3;
--| ALTER TABLE
alter table t add constraint fk foreign key (id) references u (id) on delete set null (id);
--| ALTER TABLE
alter table t add unique (x), add exclude using btree (x desc with =), add foreign key (x) references u match full;
--| ALTER TABLE
select conrelid::regclass, conname, pg_get_constraintdef(oid) from pg_constraint where conrelid in ('a'::regclass, 't'::regclass) order by 1, 2;
--|  conrelid |         conname         |                   pg_get_constraintdef
--| ----------+-------------------------+-----------------------------------------------------------
--|  t        | fk                      | FOREIGN KEY (id) REFERENCES u(id) ON DELETE SET NULL (id)
--|  t        | t_x_excl                | EXCLUDE USING btree (x DESC WITH =)
--|  t        | t_x_fkey                | FOREIGN KEY (x) REFERENCES u(id) MATCH FULL
--|  t        | t_x_key                 | UNIQUE (x)
--|  a        | a_id_not_null           | NOT NULL id
--|  a        | a_octets_characters_key | UNIQUE NULLS NOT DISTINCT (octets, characters) DEFERRABLE
--|  a        | a_octets_excl           | EXCLUDE USING btree (octets DESC WITH =)
--|  a        | k                       | PRIMARY KEY (id) INCLUDE (v)
--|  a        | l                       | UNIQUE (v) INCLUDE (id)
--| (9 rows)
select octets, characters, "asc", "desc" from a;
--|  octets | characters | asc | desc
--| --------+------------+-----+------
--| (0 rows)
