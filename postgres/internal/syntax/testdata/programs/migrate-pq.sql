-- simple
;

-- simple
SELECT CURRENT_DATABASE()

-- simple
SELECT CURRENT_SCHEMA()

-- extended
-- types: bigint
-- parameters: $1 = '3575249667'
SELECT pg_advisory_lock($1)

-- extended
-- types: name,name
-- parameters: $1 = 'public', $2 = 'schema_migrations_2'
SELECT COUNT(1) FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2 LIMIT 1

-- simple
CREATE TABLE IF NOT EXISTS "public"."schema_migrations_2" (version bigint not null primary key, dirty boolean not null)

-- extended
-- types: bigint
-- parameters: $1 = '3575249667'
SELECT pg_advisory_unlock($1)

-- simple
SELECT version, dirty FROM "public"."schema_migrations_2" LIMIT 1

-- simple
BEGIN READ WRITE

-- simple
TRUNCATE "public"."schema_migrations_2"

-- extended
-- types: bigint,boolean
-- parameters: $1 = '1', $2 = 't'
INSERT INTO "public"."schema_migrations_2" (version, dirty) VALUES ($1, $2)

-- simple
COMMIT

-- simple
CREATE TABLE IF NOT EXISTS a (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL);

-- simple
INSERT INTO a (name) VALUES ('first');

