{{ config(materialized='table', indexes=[{'columns': ['customer'], 'type': 'btree'}, {'columns': ['customer', 'n'], 'unique': true}], post_hook='analyze {{ this }}') }}
select c.id as customer, count(o.id) as n, sum(o.price) as total from {{ ref('stg_customers') }} c left join {{ ref('orders') }} o on o.customer = c.id group by 1
