-- Dumps say once more whose a sequence is that belongs to a column.

create role o_app;
--| CREATE ROLE
create table a(id serial primary key, g int generated always as identity);
--| CREATE TABLE
alter sequence a_id_seq owner to o_app;
--| ERROR:  0A000: cannot change owner of sequence "a_id_seq"
--| DETAIL:  Sequence "a_id_seq" is linked to table "a".
alter table a owner to o_app;
--| ALTER TABLE
alter table a_id_seq owner to o_app;
--| ALTER TABLE
alter sequence a_id_seq owner to o_app;
--| ALTER SEQUENCE
alter sequence a_g_seq owner to o_app;
--| ALTER SEQUENCE
alter sequence a_id_seq owner to current_user;
--| ERROR:  0A000: cannot change owner of sequence "a_id_seq"
--| DETAIL:  Sequence "a_id_seq" is linked to table "a".
alter sequence a_id_seq owner to o_nobody;
--| ERROR:  42704: role "o_nobody" does not exist
alter sequence a_id_seq owned by none;
--| ALTER SEQUENCE
alter sequence a_id_seq owner to current_user;
--| ALTER SEQUENCE
select relname, relowner::regrole from pg_class where relname like 'a\_%seq' order by 1;
--|  relname  | relowner
--| ----------+----------
--|  a_g_seq  | o_app
--|  a_id_seq | postgres
--| (2 rows)
drop table a;
--| DROP TABLE
drop role o_app;
--| DROP ROLE
