//! Random conditions over tables with indexes of several columns, as orders are kept: equalities, lists, ranges, ORs and rows, in every mixture.
//!
//! Must not know: who runs them.

use crate::pairs::statements::Random;

/// A column, and how many values it has, from 1.
type Column = (&'static str, u64);

struct Table {
    name: &'static str,
    /// Those of the primary key, in its order.
    key: &'static [Column],
    others: &'static [Column],
    summed: &'static str,
    /// What it is joined with, and by what.
    joined: (&'static str, &'static str),
}

const TABLES: &[Table] = &[
    Table {
        name: "line",
        key: &[("l_shop", 4), ("l_part", 10), ("l_order", 600), ("l_number", 10)],
        others: &[("l_item", 20_000), ("l_quantity", 10)],
        summed: "l_amount",
        joined: ("stock", "l_shop = s_shop and l_item = s_item"),
    },
    Table {
        name: "stock",
        key: &[("s_shop", 4), ("s_item", 20_000)],
        others: &[("s_left", 100)],
        summed: "s_left",
        joined: ("item", "s_item = i_item"),
    },
    Table {
        name: "customer",
        key: &[("c_shop", 4), ("c_part", 10), ("c_id", 600)],
        others: &[("c_paid", 5)],
        summed: "c_balance",
        joined: ("orders", "c_shop = o_shop and c_part = o_part and c_id = o_customer"),
    },
    Table {
        name: "orders",
        key: &[("o_shop", 4), ("o_part", 10), ("o_order", 600)],
        others: &[("o_customer", 600), ("o_lines", 15)],
        summed: "o_lines",
        joined: ("line", "o_shop = l_shop and o_part = l_part and o_order = l_order"),
    },
    Table {
        name: "item",
        key: &[("i_item", 20_000)],
        others: &[("i_kind", 1000)],
        summed: "i_price",
        joined: ("stock", "s_item = i_item"),
    },
];

/// What makes the tables: the same rows wherever it runs.
pub const SCHEMA: &str = "
drop table if exists line, stock, customer, orders, item;
create table line (l_shop int, l_part int, l_order int, l_number int, l_item int, l_quantity int, l_amount numeric(8, 2), l_note text,
  primary key (l_shop, l_part, l_order, l_number));
insert into line select s, p, o, n, 1 + (s * 7919 + p * 104729 + o * 1299709 + n * 15485863) % 20000, 1 + (o + n) % 10, ((o * 31 + n * 7) % 10000) / 100.0,
  repeat('x', 24) from generate_series(1, 4) s, generate_series(1, 10) p, generate_series(1, 600) o, generate_series(1, 10) n;
create table stock (s_shop int, s_item int, s_left int, s_data text, primary key (s_shop, s_item));
insert into stock select s, i, 1 + (s * 17 + i * 13) % 100, repeat('d', 200) from generate_series(1, 4) s, generate_series(1, 20000) i;
create table customer (c_shop int, c_part int, c_id int, c_last text, c_paid int, c_balance numeric(10, 2), c_data text, primary key (c_shop, c_part, c_id));
insert into customer select s, p, i, 'n' || i * 37 % 300, 1 + i % 5, (i * 113 + p) % 5000, repeat('c', 300)
  from generate_series(1, 4) s, generate_series(1, 10) p, generate_series(1, 600) i;
create index customer_last on customer (c_shop, c_part, c_last);
create table orders (o_shop int, o_part int, o_order int, o_customer int, o_lines int, o_carrier int, primary key (o_shop, o_part, o_order));
insert into orders select s, p, o, 1 + o * 7 % 600, 5 + o % 11, nullif(o % 8, 0) from generate_series(1, 4) s, generate_series(1, 10) p, generate_series(1, 600) o;
create index orders_customer on orders (o_shop, o_part, o_customer, o_order);
create table item (i_item int primary key, i_kind int, i_price numeric(6, 2), i_name text);
insert into item select i, 1 + i % 1000, (i * 71 % 10000) / 100.0, 'item ' || i from generate_series(1, 20000) i;
vacuum analyze line; vacuum analyze stock; vacuum analyze customer; vacuum analyze orders; vacuum analyze item;";

/// A query.
pub struct Query {
    pub sql: String,
    /// Its rows come in the order that it says, which leaves nothing open.
    pub is_ordered: bool,
}

/// Makes queries of a number.
pub struct Grammar {
    random: Random,
}

impl Grammar {
    pub fn new(seed: u64) -> Grammar {
        Grammar { random: Random::new(seed) }
    }

    fn value(&mut self, of: Column) -> u64 {
        1 + self.random.below(of.1)
    }

    fn values(&mut self, of: Column, most: u64) -> String {
        let n = 1 + self.random.below(most);
        (0..n).map(|_| self.value(of).to_string()).collect::<Vec<_>>().join(", ")
    }

    /// One condition of a column.
    fn condition(&mut self, column: Column) -> String {
        let (name, most) = column;
        match self.random.below(12) {
            0..=4 => format!("{name} = {}", self.value(column)),
            5 => format!("{name} in ({})", self.values(column, 5)),
            6 => {
                let low = self.value(column);
                format!("{name} between {low} and {}", low + (most / 200).max(1))
            }
            7 => format!("{name} > {}", most - (most / 300).max(1)),
            8 => format!("{name} <= {}", (most / 300).max(1)),
            9 => format!("({name} = {} or {name} = {})", self.value(column), self.value(column)),
            10 => format!("{name} <> {}", self.value(column)),
            _ => format!("{name} = any (array[{}])", self.values(column, 4)),
        }
    }

    /// Conditions of the first columns of a key.
    fn of_key(&mut self, key: &[Column]) -> String {
        let n = 1 + self.random.below(key.len() as u64) as usize;
        let mut all = Vec::new();
        for column in &key[..n] {
            if self.random.below(10) > 0 {
                all.push(self.condition(*column));
            }
        }
        if all.is_empty() { self.condition(key[0]) } else { all.join(" and ") }
    }

    /// `(a, b) IN ((1, 2), …)`.
    fn of_rows(&mut self, key: &[Column]) -> String {
        let n = 1 + self.random.below(key.len() as u64) as usize;
        let names: Vec<&str> = key[..n].iter().map(|c| c.0).collect();
        let rows = 1 + self.random.below(12);
        let row = |g: &mut Grammar| {
            let values: Vec<String> = key[..n].iter().map(|c| g.value(*c).to_string()).collect();
            format!("({})", values.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(|_| row(self)).collect();
        format!("({}) in ({})", names.join(", "), rows.join(", "))
    }

    fn all(&mut self, t: &Table) -> String {
        let mut conditions = match self.random.below(10) {
            0 | 1 => self.of_rows(t.key),
            2 | 3 => {
                let branches: Vec<String> = (0..2).map(|_| format!("({})", self.of_key(t.key))).collect();
                format!("({})", branches.join(" or "))
            }
            _ => self.of_key(t.key),
        };
        for column in t.others {
            if self.random.below(7) == 0 {
                conditions += &format!(" and {}", self.condition(*column));
            }
        }
        conditions
    }

    /// The first of a key's columns in an order, some of them backward.
    fn order(&mut self, key: &[Column]) -> String {
        let n = 1 + self.random.below(key.len() as u64) as usize;
        let all = ["", " desc"][self.random.below(2) as usize];
        let is_mixed = self.random.below(4) == 0;
        let mut order = Vec::new();
        for (name, _) in &key[..n] {
            let direction = if is_mixed && self.random.below(2) == 0 { " desc" } else { all };
            order.push(format!("{name}{direction}"));
        }
        order.join(", ")
    }

    /// The next query.
    pub fn query(&mut self) -> Query {
        let t = &TABLES[self.random.below(TABLES.len() as u64) as usize];
        let (Table { name, key, summed, joined: (other, on), .. }, conditions) = (t, self.all(t));
        let last = key[key.len() - 1].0;
        let names = key.iter().map(|c| c.0).collect::<Vec<_>>().join(", ");
        let mut is_ordered = false;
        let sql = match self.random.below(20) {
            0..=4 => format!("select * from {name} where {conditions}"),
            5 | 6 => format!("select count(*), sum({summed}) from {name} where {conditions}"),
            7 | 8 => {
                is_ordered = true;
                let (order, limit) = (self.order(key), 1 + self.random.below(20));
                format!(
                    "select {names} from {name} where {conditions} order by {order}, {names} limit {limit}"
                )
            }
            9 | 10 => {
                let (order, limit) = (self.order(key), 1 + self.random.below(20));
                let only: Vec<&str> = order.split(", ").filter_map(|k| k.split(' ').next()).collect();
                is_ordered = true;
                format!(
                    "select {} from {name} where {conditions} order by {order} limit {limit}",
                    only.join(", ")
                )
            }
            11 | 12 => format!("select max({last}), min({last}) from {name} where {conditions}"),
            13 => {
                let first = key[0].0;
                format!("select {first}, count(*) from {name} where {conditions} group by {first}")
            }
            14 => {
                is_ordered = true;
                format!("select distinct {last} from {name} where {conditions} order by {last} limit 10")
            }
            15 | 16 => format!("select count(*) from {name} join {other} on {on} where {conditions}"),
            17 => format!("select count(*) from {name} left join {other} on {on} where {conditions}"),
            18 => {
                let not = ["", "not "][self.random.below(2) as usize];
                format!(
                    "select count(*) from {name} where {conditions} and {not}exists (select 1 from {other} where {on})"
                )
            }
            _ => {
                let condition = self.condition(t.key[0]);
                format!(
                    "select count(*) from {name} where {condition} and ({conditions} or exists (select 1 from {other} where {on}))"
                )
            }
        };
        Query { sql, is_ordered }
    }
}
