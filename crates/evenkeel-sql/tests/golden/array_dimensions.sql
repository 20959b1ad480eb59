-- Arrays have six dimensions at most, however they are made.
select array[[[[[[1]]]]]];
--|      array
--| ---------------
--|  {{{{{{1}}}}}}
--| (1 row)
select array[[[[[[[1]]]]]]];
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array[array[array[array[array[array[array[1]]]]]]];
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select '{{{{{{{1}}}}}}}'::int[];
--| ERROR:  54000: number of array dimensions exceeds the maximum allowed (6)
create table t (x int[][][][][][][]);
--| CREATE TABLE
insert into t values (array[[[[[[1]]]]]]);
--| INSERT 0 1
insert into t select array[x] from t;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array_agg(x) from t;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array_agg(x) over () from t;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array(select x from t);
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array_fill(1, array[1,1,1,1,1,1,1]);
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
update t set x[1][1][1][1][1][1][1] = 1;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select array[x[1:1]] from t;
--| ERROR:  54000: number of array dimensions (7) exceeds the maximum allowed (6)
select * from t;
--|        x
--| ---------------
--|  {{{{{{1}}}}}}
--| (1 row)
