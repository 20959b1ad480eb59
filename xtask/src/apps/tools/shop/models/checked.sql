{{ config(materialized='table', contract={'enforced': true}) }}
select id::int as id, {{ dbt.hash('id::text') }} as h, {{ dbt.listagg('price::text', "','", 'order by id', 1) }} as l from {{ ref('paid') }} group by id
