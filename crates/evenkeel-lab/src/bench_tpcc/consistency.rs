//! The consistency conditions of 3.3.2, each as a query that counts what breaks it.
//!
//! It must not know which server it is.

use crate::bench_checkpoints::{Error, server_error};
use evenkeel_client::Connection;

/// What must not be there, with the query that counts it; conditions 1 to 12 in order.
const MUST_BE_NONE: [(&str, &str); 12] = [
    (
        "warehouses whose payments are not those of their districts",
        "SELECT count(*) FROM warehouse WHERE w_ytd <> (SELECT sum(d_ytd) FROM district WHERE d_w_id = w_id)",
    ),
    (
        "districts whose next order does not follow their last one, delivered or not",
        "SELECT count(*) FROM district, (SELECT o_w_id, o_d_id, max(o_id) AS last FROM orders GROUP BY o_w_id, o_d_id) AS o, \
         (SELECT no_w_id, no_d_id, max(no_o_id) AS last FROM new_order GROUP BY no_w_id, no_d_id) AS n \
         WHERE d_w_id = o_w_id AND d_id = o_d_id AND d_w_id = no_w_id AND d_id = no_d_id \
         AND (d_next_o_id - 1 <> o.last OR n.last > o.last)",
    ),
    (
        "districts whose undelivered orders have gaps",
        "SELECT count(*) FROM (SELECT no_w_id, no_d_id FROM new_order GROUP BY no_w_id, no_d_id \
         HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)) AS n",
    ),
    (
        "districts with more or fewer lines than their orders say",
        "SELECT count(*) FROM (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS said FROM orders GROUP BY o_w_id, o_d_id) AS o, \
         (SELECT ol_w_id, ol_d_id, count(*) AS lines FROM order_line GROUP BY ol_w_id, ol_d_id) AS l \
         WHERE o_w_id = ol_w_id AND o_d_id = ol_d_id AND said <> lines",
    ),
    (
        "orders that have a carrier and are undelivered, or neither",
        "SELECT count(*) FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id \
         WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)",
    ),
    (
        "orders with more or fewer lines than they say",
        "SELECT count(*) FROM orders LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS lines FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) AS l \
         ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE lines IS NULL OR lines <> o_ol_cnt",
    ),
    (
        "lines that are delivered without a carrier of their order, or the other way round",
        "SELECT count(*) FROM order_line, orders WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
         AND (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)",
    ),
    (
        "warehouses whose payments are not in the history",
        "SELECT count(*) FROM warehouse, (SELECT h_w_id, sum(h_amount) AS paid FROM history GROUP BY h_w_id) AS h WHERE w_id = h_w_id AND w_ytd <> paid",
    ),
    (
        "districts whose payments are not in the history",
        "SELECT count(*) FROM district, (SELECT h_w_id, h_d_id, sum(h_amount) AS paid FROM history GROUP BY h_w_id, h_d_id) AS h \
         WHERE d_w_id = h_w_id AND d_id = h_d_id AND d_ytd <> paid",
    ),
    (
        "customers whose balance is not what was delivered less what was paid",
        "SELECT count(*) FROM customer LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS delivered FROM orders, order_line \
         WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) AS o \
         ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id \
         LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS paid FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) AS h \
         ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id \
         WHERE c_balance <> coalesce(delivered, 0) - coalesce(paid, 0)",
    ),
    (
        "districts whose orders but for the undelivered ones are not 2100 more than at the beginning",
        "SELECT count(*) FROM district, (SELECT o_w_id, o_d_id, count(*) AS orders FROM orders GROUP BY o_w_id, o_d_id) AS o, \
         (SELECT no_w_id, no_d_id, count(*) AS undelivered FROM new_order GROUP BY no_w_id, no_d_id) AS n, \
         (SELECT c_w_id, c_d_id, sum(c_delivery_cnt) AS delivered FROM customer GROUP BY c_w_id, c_d_id) AS c \
         WHERE d_w_id = o_w_id AND d_id = o_d_id AND d_w_id = no_w_id AND d_id = no_d_id AND d_w_id = c_w_id AND d_id = c_d_id \
         AND orders - undelivered <> 2100 + delivered",
    ),
    (
        "customers whose balance and payments are not what was delivered to them",
        "SELECT count(*) FROM customer LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS delivered FROM orders, order_line \
         WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) AS o \
         ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id WHERE c_balance + c_ytd_payment <> coalesce(delivered, 0)",
    ),
];

/// Whether nothing is half done in the tables that the search path finds. `tick` is told which condition is looked at; the error says what is wrong. Blocks.
pub fn check(
    control: &mut Connection,
    name: &str,
    tick: &mut dyn FnMut(usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let wrong = server_error(name);
    for (n, (what, sql)) in MUST_BE_NONE.iter().enumerate() {
        tick(n + 1)?;
        let broken = control.value(sql).map_err(&wrong)?;
        if broken.as_deref() != Some("0") {
            let broken = broken.unwrap_or_default();
            return Err(Error::Options(format!(
                "{name} is inconsistent, condition 3.3.2.{} of TPC-C: {broken} {what}",
                n + 1
            )));
        }
    }
    Ok(())
}
