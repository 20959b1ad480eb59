{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', on_schema_change='append_new_columns') }}
select id, customer, price{% if is_incremental() %}, 1 as extra{% endif %} from {{ ref('orders') }}
