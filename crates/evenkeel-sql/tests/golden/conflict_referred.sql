-- ON CONFLICT DO UPDATE of a key that others refer to: as UPDATE does.
create table o(id int primary key); insert into o values(7),(8);
--| CREATE TABLE
--| INSERT 0 2
create table fk(nn int, o int references o); insert into fk values(2,7);
--| CREATE TABLE
--| INSERT 0 1
insert into o values(7) on conflict(id) do update set id=excluded.id+10;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "fk_o_fkey" on table "fk"
--| DETAIL:  Key (id)=(7) is still referenced from table "fk".
update o set id=17 where id=7;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "fk_o_fkey" on table "fk"
--| DETAIL:  Key (id)=(7) is still referenced from table "fk".
create table fk2(nn int); insert into fk2 values(1); alter table fk2 add o int default 8 references o;
--| CREATE TABLE
--| INSERT 0 1
--| ALTER TABLE
update o set id=18 where id=8;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "fk2_o_fkey" on table "fk2"
--| DETAIL:  Key (id)=(8) is still referenced from table "fk2".
delete from o where id=8;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "fk2_o_fkey" on table "fk2"
--| DETAIL:  Key (id)=(8) is still referenced from table "fk2".
create table casc(o int references o on update cascade);
--| CREATE TABLE
insert into casc values (8);
--| INSERT 0 1
delete from fk; delete from fk2;
--| DELETE 1
--| DELETE 1
insert into o values(8) on conflict(id) do update set id=excluded.id+10 returning *;
--|  id
--| ----
--|  18
--| (1 row)
--| INSERT 0 1
table casc;
--|  o
--| ----
--|  18
--| (1 row)
create table def(o int references o deferrable initially deferred); insert into def values (18);
--| CREATE TABLE
--| INSERT 0 1
begin; insert into o values(18) on conflict(id) do update set id=excluded.id+10; table casc; commit;
--| ERROR:  23503: update or delete on table "o" violates foreign key constraint "def_o_fkey" on table "def"
--| DETAIL:  Key (id)=(18) is still referenced from table "def".
table casc;
--|  o
--| ----
--|  18
--| (1 row)
insert into o values(18) on conflict(id) do update set id=excluded.id returning *;
--|  id
--| ----
--|  18
--| (1 row)
--| INSERT 0 1
