{{ config(materialized='incremental', incremental_strategy='append', on_schema_change='append_new_columns') }}
select id, customer, price{% if is_incremental() %}, 1 as extra{% endif %} from {{ ref('orders') }}
