{{ config(materialized='materialized_view', indexes=[{'columns': ['country']}]) }} select country, count(*) as n from {{ ref('stg_customers') }} group by 1
