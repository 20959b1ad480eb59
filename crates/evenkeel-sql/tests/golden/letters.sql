-- Letters of a database of which nothing is said, as PostgreSQL's builtin locale C.UTF-8 has them; of the collations that know ASCII alone; of PG_UNICODE_FAST.

select datname, datlocprovider, datcollate, datctype, datlocale, datcollversion from pg_database where datname in ('template0', 'template1') order by 1;
--|   datname  | datlocprovider | datcollate | datctype | datlocale | datcollversion
--| -----------+----------------+------------+----------+-----------+----------------
--|  template0 | b              | C          | C        | C.UTF-8   |
--|  template1 | b              | C          | C        | C.UTF-8   | 1
--| (2 rows)
select upper('é'), lower('É'), initcap('éa ÉA o''neil x1y'), upper('ß'), lower('İ'), upper('ᾳ'), lower('ΑΣ'), casefold('É');
--|  upper | lower |     initcap      | upper | lower | upper | lower | casefold
--| -------+-------+------------------+-------+-------+-------+-------+----------
--|  É     | é     | Éa Éa O'Neil X1y | ß     | i     | ᾼ     | ασ    | é
--| (1 row)
select 'é' ilike 'É', 'é' ~* 'É', 'é' ~ '\w', 'É' ~ '[[:upper:]]', 'é' ~ '[[:lower:]]', '«' ~ '[[:punct:]]', '١' ~ '\d', '١' ~ '[[:alnum:]]';
--|  ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column? | ?column?
--| ----------+----------+----------+----------+----------+----------+----------+----------
--|  t        | t        | t        | t        | t        | t        | f        | f
--| (1 row)
select upper('é' collate "C"), initcap('éa' collate "POSIX"), lower('É' collate ucs_basic), 'é' ilike 'É' collate "C", 'A' ilike 'a' collate "C", 'é' not ilike 'É' collate "C";
--|  upper | initcap | lower | ?column? | ?column? | ?column?
--| -------+---------+-------+----------+----------+----------
--|  é     | éA      | É     | f        | t        | t
--| (1 row)
select upper('ß' collate pg_unicode_fast), upper('ß' collate pg_c_utf8), lower('ΑΣ' collate pg_unicode_fast);
--|  upper | upper | lower
--| -------+-------+-------
--|  SS    | ß     | ας
--| (1 row)
select c, sum(g) from unnest('{alpha,alnum,digit,xdigit,upper,lower,space,blank,cntrl,punct,graph,print,word}'::text[]) c, generate_series(1, 500) g where chr(g) ~ ('[[:' || c || ':]]') group by 1 order by 1;
--|    c    |  sum
--| --------+--------
--|  alnum  | 112376
--|  alpha  | 111851
--|  blank  |     41
--|  cntrl  |   5215
--|  digit  |    525
--|  graph  | 119843
--|  lower  |  54091
--|  print  | 120035
--|  punct  |   6185
--|  space  |    380
--|  upper  |  53653
--|  word   | 112471
--|  xdigit |   1527
--| (13 rows)
select sum(g) filter (where chr(g) ~ '\w'), sum(g) filter (where chr(g) ~ '[^\w]'), sum(g) filter (where chr(g) ~ '\D'), sum(g) filter (where chr(g) ~ '[\d\s]') from generate_series(1, 500) g;
--|   sum   |  sum  |  sum   | sum
--| --------+-------+--------+-----
--|  112471 | 12779 | 124725 | 905
--| (1 row)
create collation plain (provider = builtin, locale = 'C');
--| CREATE COLLATION
select upper('é' collate plain);
--|  upper
--| -------
--|  é
--| (1 row)
create collation fast (provider = builtin, locale = 'PG_UNICODE_FAST');
--| CREATE COLLATION
select upper('ß' collate fast), 'é' ilike 'É' collate fast;
--|  upper | ?column?
--| -------+----------
--|  SS    | t
--| (1 row)
create collation wrong (provider = builtin, locale = 'POSIX');
--| ERROR:  42809: invalid locale name "POSIX" for builtin provider
show lc_collate;
--| ERROR:  42704: unrecognized configuration parameter "lc_collate"
create database one locale 'C';
--| CREATE DATABASE
create database two locale_provider libc locale 'C';
--| ERROR:  22023: new locale provider (libc) does not match locale provider of the template database (builtin)
--| HINT:  Use the same locale provider as in the template database, or use template0 as template.
create database two locale_provider libc locale 'C' template template0;
--| CREATE DATABASE
create database three lc_collate 'C' lc_ctype 'C';
--| CREATE DATABASE
create database four lc_ctype 'en_US.UTF-8';
--| ERROR:  22023: new LC_CTYPE (en_US.UTF-8) is incompatible with the LC_CTYPE of the template database (C)
--| HINT:  Use the same LC_CTYPE as in the template database, or use template0 as template.
create database four lc_collate 'en_US.UTF-8' lc_ctype 'en_US.UTF-8' template template0;
--| CREATE DATABASE
create database five builtin_locale 'PG_UNICODE_FAST' template template0;
--| CREATE DATABASE
create database six builtin_locale 'en_US' template template0;
--| ERROR:  42809: invalid locale name "en_US" for builtin provider
create database six locale 'de_DE.UTF-8';
--| ERROR:  22023: new collation (de_DE.UTF-8) is incompatible with the collation of the template database (C)
--| HINT:  Use the same collation as in the template database, or use template0 as template.
select datname, datlocprovider, datcollate, datctype, datlocale, datcollversion from pg_database where datname in ('one', 'two', 'three', 'four', 'five') order by 1;
--|  datname | datlocprovider | datcollate  |  datctype   |    datlocale    | datcollversion
--| ---------+----------------+-------------+-------------+-----------------+----------------
--|  five    | b              | C           | C           | PG_UNICODE_FAST | 1
--|  four    | c              | en_US.UTF-8 | en_US.UTF-8 |                 | 49.0
--|  one     | b              | C           | C           | C               | 1
--|  three   | b              | C           | C           | C.UTF-8         | 1
--|  two     | c              | C           | C           |                 |
--| (5 rows)
