-- simple
-- ping

-- extended
SELECT CURRENT_DATABASE()

-- extended
SELECT CURRENT_SCHEMA()

-- extended
-- types: bigint
-- parameters: $1 = '440773787'
SELECT pg_advisory_lock($1)

-- extended
-- types: name,name
-- parameters: $1 = 'public', $2 = 'schema_migrations'
SELECT COUNT(1) FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2 LIMIT 1

-- simple
CREATE TABLE IF NOT EXISTS "public"."schema_migrations" (version bigint not null primary key, dirty boolean not null)

-- extended
-- types: bigint
-- parameters: $1 = '440773787'
SELECT pg_advisory_unlock($1)

-- extended
SELECT version, dirty FROM "public"."schema_migrations" LIMIT 1

-- simple
begin

-- simple
TRUNCATE "public"."schema_migrations"

-- extended
-- types: bigint,boolean
-- parameters: $1 = '1', $2 = 't'
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES ($1, $2)

-- simple
commit

-- simple
CREATE TABLE IF NOT EXISTS a (id SERIAL PRIMARY KEY, name VARCHAR(20) NOT NULL);

-- simple
INSERT INTO a (name) VALUES ('first');

