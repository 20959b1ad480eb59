select id, name, country, at::date as at from {{ ref('customers') }}
