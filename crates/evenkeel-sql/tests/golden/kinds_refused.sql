-- Definitions of what there is not are refused by their whole names.

create text search configuration x (copy=english);
--| ERROR:  0A000: CREATE TEXT SEARCH CONFIGURATION is not supported
create text search dictionary x (template=simple);
--| ERROR:  0A000: CREATE TEXT SEARCH DICTIONARY is not supported
create foreign table ft(a int) server s;
--| ERROR:  0A000: CREATE FOREIGN TABLE is not supported
create foreign data wrapper w;
--| ERROR:  0A000: CREATE FOREIGN DATA WRAPPER is not supported
create event trigger et on ddl_command_start execute function f();
--| ERROR:  0A000: CREATE EVENT TRIGGER is not supported
create access method am type index handler h;
--| ERROR:  0A000: CREATE ACCESS METHOD is not supported
create operator class oc for type int using btree as storage int;
--| ERROR:  0A000: CREATE OPERATOR CLASS is not supported
create operator family f using btree;
--| ERROR:  0A000: CREATE OPERATOR FAMILY is not supported
create user mapping for public server s;
--| ERROR:  0A000: CREATE USER MAPPING is not supported
create constraint trigger t after insert on x execute function f();
--| ERROR:  0A000: CREATE CONSTRAINT TRIGGER is not supported
create default conversion c for 'UTF8' to 'LATIN1' from f;
--| ERROR:  0A000: CREATE DEFAULT CONVERSION is not supported
create trusted language l;
--| ERROR:  0A000: CREATE TRUSTED LANGUAGE is not supported
create operator === (leftarg = int);
--| ERROR:  0A000: CREATE OPERATOR is not supported
import foreign schema s from server s into p;
--| ERROR:  0A000: IMPORT FOREIGN SCHEMA is not supported
security label on table t is 'x';
--| ERROR:  0A000: SECURITY LABEL is not supported
alter text search configuration x rename to y;
--| ERROR:  0A000: ALTER TEXT SEARCH CONFIGURATION is not supported
alter foreign table ft add b int;
--| ERROR:  0A000: ALTER FOREIGN TABLE is not supported
alter event trigger et disable;
--| ERROR:  0A000: ALTER EVENT TRIGGER is not supported
create table t(a int);
--| CREATE TABLE
alter table t enable row level security;
--| ERROR:  0A000: ALTER TABLE ENABLE ROW LEVEL SECURITY is not supported
alter table t disable row level security;
--| ERROR:  0A000: ALTER TABLE DISABLE ROW LEVEL SECURITY is not supported
alter table t force row level security;
--| ERROR:  0A000: ALTER TABLE FORCE ROW LEVEL SECURITY is not supported
alter table t no force row level security;
--| ERROR:  0A000: ALTER TABLE NO FORCE ROW LEVEL SECURITY is not supported
