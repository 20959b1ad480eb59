-- ON DELETE SET NULL and SET DEFAULT may name columns behind a column's REFERENCES, too.
create table p (id int primary key);
--| CREATE TABLE
create table c (id int primary key, pid int references p on delete set null (pid));
--| CREATE TABLE
create table c2 (id int primary key, pid int default 7 references p (id) on update cascade on delete set default (pid) deferrable);
--| CREATE TABLE
create table c3 (a int references p on delete set null, foreign key (a) references p on delete set null (a), b int references public.p on delete set null (b) not null, e int constraint k references p (id) match simple on delete set default (e) on update set null);
--| CREATE TABLE
alter table c add column q int references p on delete set null (q);
--| ALTER TABLE
alter table c add column r int references b.public.p on delete cascade, add column s int constraint of_s references public.p (id) on delete set default (s);
--| ALTER TABLE
select conrelid::regclass, conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'f' order by 1, 2;
--|  conrelid |   conname   |                                    pg_get_constraintdef
--| ----------+-------------+---------------------------------------------------------------------------------------------
--|  c        | c_pid_fkey  | FOREIGN KEY (pid) REFERENCES p(id) ON DELETE SET NULL (pid)
--|  c        | c_q_fkey    | FOREIGN KEY (q) REFERENCES p(id) ON DELETE SET NULL (q)
--|  c        | c_r_fkey    | FOREIGN KEY (r) REFERENCES p(id) ON DELETE CASCADE
--|  c        | of_s        | FOREIGN KEY (s) REFERENCES p(id) ON DELETE SET DEFAULT (s)
--|  c2       | c2_pid_fkey | FOREIGN KEY (pid) REFERENCES p(id) ON UPDATE CASCADE ON DELETE SET DEFAULT (pid) DEFERRABLE
--|  c3       | c3_a_fkey   | FOREIGN KEY (a) REFERENCES p(id) ON DELETE SET NULL
--|  c3       | c3_a_fkey1  | FOREIGN KEY (a) REFERENCES p(id) ON DELETE SET NULL (a)
--|  c3       | c3_b_fkey   | FOREIGN KEY (b) REFERENCES p(id) ON DELETE SET NULL (b)
--|  c3       | k           | FOREIGN KEY (e) REFERENCES p(id) ON UPDATE SET NULL ON DELETE SET DEFAULT (e)
--| (9 rows)
create table c4 (id int references p on delete set null (nobody));
--| ERROR:  42703: column "nobody" referenced in foreign key constraint does not exist
create table c4 (id int, x int references p on delete set null (id));
--| ERROR:  42P10: column "id" referenced in ON DELETE SET action must be part of foreign key
create table c4 (id int references p on delete cascade (id));
--| ERROR:  42601: syntax error at or near "("
insert into p values (1), (7);
--| INSERT 0 2
insert into c values (1, 1);
--| INSERT 0 1
insert into c2 values (1, 1);
--| INSERT 0 1
delete from p where id = 1;
--| DELETE 1
select id, pid from c union all select id, pid from c2;
--|  id | pid
--| ----+-----
--|   1 |
--|   1 |   7
--| (2 rows)
