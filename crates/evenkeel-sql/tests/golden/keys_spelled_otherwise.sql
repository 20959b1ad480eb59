-- A key that is set to what is equal and is spelled otherwise: who refers to it follows.
create table kp (n numeric primary key);
--| CREATE TABLE
create table kq (n numeric references kp on update cascade);
--| CREATE TABLE
create table kr (n numeric references kp on update cascade, primary key (n));
--| CREATE TABLE
create table ks (n numeric references kr on update cascade);
--| CREATE TABLE
insert into kp values (1.0), (2);
--| INSERT 0 2
insert into kq values (1.00), (2.0);
--| INSERT 0 2
insert into kr values (1.00);
--| INSERT 0 1
insert into ks values (1);
--| INSERT 0 1
update kp set n = 1.000 where n = 1;
--| UPDATE 1
select n from kq order by n;
--|    n
--| -------
--|  1.000
--|    2.0
--| (2 rows)
select kr.n, ks.n from kr, ks;
--|    n   |   n
--| -------+-------
--|  1.000 | 1.000
--| (1 row)
create extension citext;
--| CREATE EXTENSION
create table kc (n citext primary key);
--| CREATE TABLE
create table kd (n citext references kc on update cascade);
--| CREATE TABLE
insert into kc values ('abc');
--| INSERT 0 1
insert into kd values ('ABC');
--| INSERT 0 1
update kc set n = 'Abc';
--| UPDATE 1
table kd;
--|   n
--| -----
--|  Abc
--| (1 row)
create table ki (n interval primary key);
--| CREATE TABLE
create table kj (n interval references ki on update cascade);
--| CREATE TABLE
insert into ki values ('1 day');
--| INSERT 0 1
insert into kj values ('1 day');
--| INSERT 0 1
update ki set n = '24 hours';
--| UPDATE 1
table kj;
--|     n
--| ----------
--|  24:00:00
--| (1 row)
create table kt (n numeric primary key);
--| CREATE TABLE
create table ku (n numeric references kt on update restrict);
--| CREATE TABLE
create table kv (n numeric references kt on update set null);
--| CREATE TABLE
create table kw (n numeric references kt);
--| CREATE TABLE
insert into kt values (1.0), (2.0), (3.0);
--| INSERT 0 3
insert into ku values (1.0);
--| INSERT 0 1
insert into kv values (2.0);
--| INSERT 0 1
insert into kw values (3);
--| INSERT 0 1
update kt set n = 1.00 where n = 1;
--| ERROR:  23001: update or delete on table "kt" violates RESTRICT setting of foreign key constraint "ku_n_fkey" on table "ku"
--| DETAIL:  Key (n)=(1.0) is referenced from table "ku".
update kt set n = 2.00 where n = 2;
--| UPDATE 1
update kt set n = 3.00 where n = 3;
--| UPDATE 1
select * from kt, kv order by 1;
--|   n   | n
--| ------+---
--|   1.0 |
--|  2.00 |
--|  3.00 |
--| (3 rows)
update kt set n = 1.0 where n = 1;
--| UPDATE 1
