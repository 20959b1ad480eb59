-- What the branches of an OR ask of each relation is asked there already, and does not make the joined rows fewer once more.
CREATE TABLE sellers (id int PRIMARY KEY, land text);
--| CREATE TABLE
INSERT INTO sellers SELECT g, 'land' || g % 25 FROM generate_series(1, 500) g;
--| INSERT 0 500
CREATE TABLE buyers (id int PRIMARY KEY, land text);
--| CREATE TABLE
INSERT INTO buyers SELECT g, 'land' || g % 25 FROM generate_series(1, 1000) g;
--| INSERT 0 1000
CREATE TABLE orders (id int PRIMARY KEY, buyer int);
--| CREATE TABLE
INSERT INTO orders SELECT g, 1 + g * 13 % 1000 FROM generate_series(1, 5000) g;
--| INSERT 0 5000
CREATE TABLE lines (id int, n int, seller int, price int, PRIMARY KEY (id, n));
--| CREATE TABLE
INSERT INTO lines SELECT 1 + g / 4, g % 4, 1 + g * 7 / 3 % 500, g % 100 FROM generate_series(0, 19999) g;
--| INSERT 0 20000
ANALYZE sellers;
--| ANALYZE
ANALYZE buyers;
--| ANALYZE
ANALYZE orders;
--| ANALYZE
ANALYZE lines;
--| ANALYZE
-- Not all pairs of sellers and buyers before their orders are read.
EXPLAIN (COSTS OFF)
    SELECT s.land, b.land, sum(price) FROM sellers s, lines l, orders o, buyers b
    WHERE s.id = l.seller AND l.id = o.id AND o.buyer = b.id
        AND (s.land = 'land3' AND b.land = 'land4' OR s.land = 'land4' AND b.land = 'land3')
    GROUP BY 1, 2;
--|                                                                 QUERY PLAN
--| -------------------------------------------------------------------------------------------------------------------------------------------
--|  HashAggregate
--|    Group Key: s.land, b.land
--|    ->  Hash Join
--|          Hash Cond: (l.seller = s.id)
--|          Join Filter: (((s.land = 'land3'::text) AND (b.land = 'land4'::text)) OR ((s.land = 'land4'::text) AND (b.land = 'land3'::text)))
--|          ->  Nested Loop
--|                ->  Hash Join
--|                      Hash Cond: (o.buyer = b.id)
--|                      ->  Seq Scan on orders o
--|                      ->  Hash
--|                            ->  Seq Scan on buyers b
--|                                  Filter: ((land = 'land4'::text) OR (land = 'land3'::text))
--|                ->  Index Scan using lines_pkey on lines l
--|                      Index Cond: (id = o.id)
--|          ->  Hash
--|                ->  Seq Scan on sellers s
--|                      Filter: ((land = 'land3'::text) OR (land = 'land4'::text))
--| (17 rows)
SELECT s.land, b.land, sum(price) FROM sellers s, lines l, orders o, buyers b
    WHERE s.id = l.seller AND l.id = o.id AND o.buyer = b.id
        AND (s.land = 'land3' AND b.land = 'land4' OR s.land = 'land4' AND b.land = 'land3')
    GROUP BY 1, 2 ORDER BY 1, 2;
--|  land  | land  | sum
--| -------+-------+-----
--|  land4 | land3 | 804
--| (1 row)
