-- simple
CREATE TABLE IF NOT EXISTS locks (
	name CHARACTER VARYING(255) PRIMARY KEY,
	record_version_number BIGINT,
	data BYTEA,
	owner CHARACTER VARYING(255)
)

-- simple
CREATE SEQUENCE IF NOT EXISTS locks_rvn CYCLE OWNED BY locks.record_version_number

-- simple
SELECT nextval('locks_rvn')

-- simple
BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE

-- extended
-- types: character varying,bigint,bytea,bigint,boolean,character varying
-- parameters: $1 = 'l', $2 = '1', $3 = NULL, $4 = '0', $5 = 'f', $6 = 'pglock-5980582884254023568'
		INSERT INTO locks
			("name", "record_version_number", "data", "owner")
		VALUES
			($1, $2, $3, $6)
		ON CONFLICT ("name") DO UPDATE
		SET
			"record_version_number" = $2,
			"data" = CASE
				WHEN $5 THEN $3
				ELSE locks."data"
			END,
			"owner" = $6
		WHERE
			locks."record_version_number" IS NULL
			OR locks."record_version_number" = $4
	

-- extended
-- types: text
-- parameters: $1 = 'l'
SELECT "record_version_number", "data", "owner" FROM locks WHERE name = $1 FOR UPDATE

-- simple
COMMIT

-- simple
ROLLBACK

-- extended
-- types: text,bigint,bigint
-- parameters: $1 = 'l', $2 = '1', $3 = '3'
		UPDATE
			locks
		SET
			"record_version_number" = $3
		WHERE
			"name" = $1
			AND "record_version_number" = $2
	

-- extended
-- types: text,bigint
-- parameters: $1 = 'l', $2 = '5'
		UPDATE
			locks
		SET
			"record_version_number" = NULL
		WHERE
			"name" = $1
			AND "record_version_number" = $2
	

-- extended
-- types: text
-- parameters: $1 = 'l'
		DELETE FROM
			locks
		WHERE
			"name" = $1
			AND "record_version_number" IS NULL

