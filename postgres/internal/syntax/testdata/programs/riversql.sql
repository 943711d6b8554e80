-- simple
SELECT 1

-- simple
-- name: PGGetProductAndVersion :one
SELECT
    version()::text AS product,
    current_setting('server_version_num')::int AS version_num,
    coalesce(current_setting('yb_enable_listen_notify', true), 'off')::boolean AS yb_listen_notify_enabled

-- extended
-- types: timestamp with time zone,jsonb,text,timestamp with time zone,timestamp with time zone
-- parameters: $1 = NULL, $2 = '{}', $3 = 'default', $4 = NULL, $5 = NULL
-- name: QueueCreateOrSetUpdatedAt :one
INSERT INTO river_queue (
    created_at,
    metadata,
    name,
    paused_at,
    updated_at
) VALUES (
    coalesce($1::timestamptz, now()),
    coalesce($2::jsonb, '{}'::jsonb),
    $3::text,
    coalesce($4::timestamptz, NULL),
    coalesce($5::timestamptz, $1::timestamptz, now())
) ON CONFLICT (name) DO UPDATE
SET
    updated_at = EXCLUDED.updated_at
RETURNING name, created_at, metadata, paused_at, updated_at

-- simple
BEGIN READ WRITE

-- extended
-- types: bigint[],jsonb[],timestamp with time zone[],text[],smallint[],jsonb[],smallint[],text[],timestamp with time zone[],text[],text[],bytea[],integer[]
-- parameters: $1 = '{0}', $2 = '{"{\"N\": 1}"}', $3 = '{"2026-11-29 18:04:23.375163+00"}', $4 = '{job}', $5 = '{25}', $6 = '{"{}"}', $7 = '{1}', $8 = '{default}', $9 = '{"2026-11-29 18:04:23.375163+00"}', $10 = '{available}', $11 = '{""}', $12 = '{"\\x"}', $13 = '{0}'
-- name: JobInsertFastMany :many
WITH raw_job_data AS (
    SELECT
        unnest($1::bigint[]) AS id,
        unnest($2::jsonb[]) AS args,
        unnest($3::timestamptz[]) AS created_at,
        unnest($4::text[]) AS kind,
        unnest($5::smallint[]) AS max_attempts,
        unnest($6::jsonb[]) AS metadata,
        unnest($7::smallint[]) AS priority,
        unnest($8::text[]) AS queue,
        unnest($9::timestamptz[]) AS scheduled_at,
        unnest($10::text[]) AS state,
        unnest($11::text[]) AS tags,
        unnest($12::bytea[]) AS unique_key,
        unnest($13::integer[]) AS unique_states
)
INSERT INTO river_job(
    id,
    args,
    created_at,
    kind,
    max_attempts,
    metadata,
    priority,
    queue,
    scheduled_at,
    state,
    tags,
    unique_key,
    unique_states
) SELECT
    coalesce(nullif(id, 0), nextval('river_job_id_seq'::regclass)),
    args,
    coalesce(nullif(created_at, '0001-01-01 00:00:00 +0000'), now()) AS created_at,
    kind,
    max_attempts,
    coalesce(metadata, '{}'::jsonb) AS metadata,
    priority,
    queue,
    coalesce(nullif(scheduled_at, '0001-01-01 00:00:00 +0000'), now()) AS scheduled_at,
    state::river_job_state,
    string_to_array(tags, ',')::varchar(255)[],
    -- `nullif` is required for `lib/pq`, which doesn't do a good job of reading
    -- `nil` into `bytea`. We use `text` because otherwise `lib/pq` will encode
    -- to Postgres binary like `\xAAAA`.
    nullif(unique_key, '')::bytea,
    nullif(unique_states::integer, 0)::bit(8)
FROM raw_job_data
ON CONFLICT (unique_key)
    WHERE unique_key IS NOT NULL
        AND unique_states IS NOT NULL
        AND river_job_state_in_bitmask(unique_states, state)
    -- Something needs to be updated for a row to be returned on a conflict.
    -- Keep the existing kind, which may differ under `ExcludeKind`.
    DO UPDATE SET kind = river_job.kind
RETURNING
    river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags, river_job.unique_key, river_job.unique_states,
    (xmax != 0) AS unique_skipped_as_duplicate

-- extended
-- types: timestamp with time zone
-- parameters: $1 = NULL
-- name: LeaderDeleteExpired :execrows
DELETE FROM river_leader
WHERE expires_at < coalesce($1::timestamptz, now())

-- extended
-- types: text,timestamp with time zone,double precision
-- parameters: $1 = 'riversql', $2 = NULL, $3 = '15'
-- name: LeaderAttemptElect :one
INSERT INTO river_leader (
    leader_id,
    elected_at,
    expires_at
) VALUES (
    $1,
    coalesce($2::timestamptz, now()),
    -- @ttl is inserted as as seconds rather than a duration because `lib/pq` doesn't support the latter
    coalesce($2::timestamptz, now()) + make_interval(secs => $3)
)
ON CONFLICT (name)
    DO NOTHING
RETURNING elected_at, expires_at, leader_id, name

-- extended
-- types: text,text,text[]
-- parameters: $1 = NULL, $2 = 'river_insert', $3 = '{"{\"queue\": \"default\"}"}'
-- name: PGNotifyMany :exec
WITH topic_to_notify AS (
    SELECT
        concat(coalesce($1::text, current_schema()), '.', $2::text) AS topic,
        unnest($3::text[]) AS payload
)
SELECT pg_notify(
    topic_to_notify.topic,
    topic_to_notify.payload
  )
FROM topic_to_notify

-- simple
COMMIT

-- extended
-- types: timestamp with time zone,integer,text,text,text[],integer
-- parameters: $1 = NULL, $2 = '100', $3 = 'riversql', $4 = 'default', $5 = NULL, $6 = '2'
-- name: JobGetAvailable :many
WITH locked_jobs AS (
    SELECT
        id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags, unique_key, unique_states
    FROM
        river_job
    WHERE
        state = 'available'
        AND queue = $4::text
        AND ($5::text[] IS NULL OR kind = ANY($5::text[]))
        AND scheduled_at <= coalesce($1::timestamptz, now())
    ORDER BY
        priority ASC,
        scheduled_at ASC,
        id ASC
    LIMIT $6::integer
    FOR UPDATE
    SKIP LOCKED
)
UPDATE
    river_job
SET
    state = 'running',
    attempt = river_job.attempt + 1,
    attempted_at = coalesce($1::timestamptz, now()),
    attempted_by = array_append(
        CASE WHEN array_length(river_job.attempted_by, 1) >= $2::int
        -- +2 instead of +1 because Postgres array indexing starts at 1, not 0.
        THEN river_job.attempted_by[array_length(river_job.attempted_by, 1) + 2 - $2:]
        ELSE river_job.attempted_by
        END,
        $3::text
    )
FROM
    locked_jobs
WHERE
    river_job.id = locked_jobs.id
RETURNING
    river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags, river_job.unique_key, river_job.unique_states

-- extended
-- types: bigint[],boolean[],integer[],boolean[],jsonb[],boolean[],timestamp with time zone[],boolean[],jsonb[],boolean[],timestamp with time zone[],text[],timestamp with time zone
-- parameters: $1 = '{4}', $2 = '{f}', $3 = '{0}', $4 = '{f}', $5 = '{"{}"}', $6 = '{t}', $7 = '{"2026-11-29 18:04:23.410434+00"}', $8 = '{f}', $9 = '{"{}"}', $10 = '{f}', $11 = '{"0001-01-01 00:00:00+00"}', $12 = '{completed}', $13 = NULL
-- name: JobSetStateIfRunningMany :many
WITH job_input AS (
    SELECT
        unnest($1::bigint[])                     AS id,
        unnest($2::boolean[])      AS attempt_do_update,
        unnest($3::int[])                    AS attempt,
        unnest($4::boolean[])       AS errors_do_update,
        unnest($5::jsonb[])                   AS errors,
        unnest($6::boolean[]) AS finalized_at_do_update,
        unnest($7::timestamptz[])       AS finalized_at,
        unnest($8::boolean[])      AS metadata_do_merge,
        unnest($9::jsonb[])         AS metadata_updates,
        unnest($10::boolean[]) AS scheduled_at_do_update,
        unnest($11::timestamptz[])       AS scheduled_at,
        -- To avoid requiring pgx users to register the OID of the river_job_state[]
        -- type, we cast the array to text[] and then to river_job_state.
        unnest($12::text[])::river_job_state AS state
),
updated AS (
    UPDATE river_job
    SET
        attempt = CASE
            WHEN river_job.state = 'running'
                 AND NOT (job_input.state IN ('available','retryable','scheduled') AND river_job.metadata ? 'cancel_attempted_at')
                 AND job_input.attempt_do_update
            THEN job_input.attempt
            ELSE river_job.attempt
        END,
        errors = CASE
            WHEN river_job.state = 'running'
                 AND job_input.errors_do_update
            THEN array_append(river_job.errors, job_input.errors)
            ELSE river_job.errors
        END,
        finalized_at = CASE
            WHEN river_job.state = 'running'
                 AND (job_input.state IN ('available','retryable','scheduled') AND river_job.metadata ? 'cancel_attempted_at')
            THEN coalesce($13::timestamptz, now())
            WHEN river_job.state = 'running'
                 AND job_input.finalized_at_do_update
            THEN job_input.finalized_at
            ELSE river_job.finalized_at
        END,
        metadata = CASE
            WHEN job_input.metadata_do_merge
            THEN river_job.metadata || job_input.metadata_updates
            ELSE river_job.metadata
        END,
        scheduled_at = CASE
            WHEN river_job.state = 'running'
                 AND NOT (job_input.state IN ('available','retryable','scheduled') AND river_job.metadata ? 'cancel_attempted_at')
                 AND job_input.scheduled_at_do_update
            THEN job_input.scheduled_at
            ELSE river_job.scheduled_at
        END,
        state = CASE
            WHEN river_job.state = 'running'
                 AND (job_input.state IN ('available','retryable','scheduled') AND river_job.metadata ? 'cancel_attempted_at')
            THEN 'cancelled'::river_job_state
            WHEN river_job.state = 'running'
            THEN job_input.state
            ELSE river_job.state
        END
    FROM job_input
    WHERE river_job.id = job_input.id
      AND (river_job.state = 'running' OR job_input.metadata_do_merge)
    RETURNING river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags, river_job.unique_key, river_job.unique_states
)
SELECT river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags, river_job.unique_key, river_job.unique_states
FROM river_job
JOIN job_input ON river_job.id = job_input.id
WHERE NOT EXISTS (
    SELECT 1
    FROM updated
    WHERE updated.id = river_job.id
)
UNION ALL
SELECT id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags, unique_key, unique_states
FROM updated
ORDER BY id

-- extended
-- types: boolean,timestamp with time zone,boolean,timestamp with time zone,boolean,timestamp with time zone,text[],text[],bigint
-- parameters: $1 = 't', $2 = '2026-11-28 18:04:24.379017+00', $3 = 't', $4 = '2026-11-28 18:04:24.379018+00', $5 = 't', $6 = '2026-11-22 18:04:24.379018+00', $7 = NULL, $8 = NULL, $9 = '10000'
-- name: JobDeleteBefore :execresult
DELETE FROM river_job
WHERE id IN (
    SELECT id
    FROM river_job
    WHERE (
            (state = 'cancelled' AND $1 AND finalized_at < $2::timestamptz) OR
            (state = 'completed' AND $3 AND finalized_at < $4::timestamptz) OR
            (state = 'discarded' AND $5 AND finalized_at < $6::timestamptz)
        )
        AND (
            $7::text[] IS NULL
            OR NOT (queue = any($7))
        )
        AND (
            $8::text[] IS NULL
            OR queue = any($8)
        )
    ORDER BY id
    LIMIT $9::bigint
)

-- extended
-- types: bigint,timestamp with time zone,bigint
-- parameters: $1 = '0', $2 = '2026-11-29 17:04:24.823907+00', $3 = '10000'
-- name: JobGetStuck :many
SELECT id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags, unique_key, unique_states
FROM river_job
WHERE state = 'running'
    AND id > $1::bigint
    AND attempted_at < $2::timestamptz
ORDER BY id
LIMIT $3

-- extended
-- types: timestamp with time zone,bigint
-- parameters: $1 = '2026-11-29 18:04:29.971323+00', $2 = '10000'
-- name: JobSchedule :many
WITH jobs_to_schedule AS (
    SELECT
        id,
        unique_key,
        unique_states,
        priority,
        scheduled_at
    FROM river_job
    WHERE
        state IN ('retryable', 'scheduled')
        AND priority >= 0
        AND queue IS NOT NULL
        AND scheduled_at <= coalesce($1::timestamptz, now())
    ORDER BY
        priority,
        scheduled_at,
        id
    LIMIT $2::bigint
    FOR UPDATE
),
jobs_with_rownum AS (
    SELECT
        id, unique_key, unique_states, priority, scheduled_at,
        CASE
            WHEN unique_key IS NOT NULL AND unique_states IS NOT NULL THEN
                ROW_NUMBER() OVER (
                    PARTITION BY unique_key
                    ORDER BY priority, scheduled_at, id
                )
            ELSE NULL
        END AS row_num
    FROM jobs_to_schedule
),
unique_conflicts AS (
    SELECT river_job.unique_key
    FROM river_job
    JOIN jobs_with_rownum
        ON river_job.unique_key = jobs_with_rownum.unique_key
        AND river_job.id != jobs_with_rownum.id
    WHERE
        river_job.unique_key IS NOT NULL
        AND river_job.unique_states IS NOT NULL
        AND river_job_state_in_bitmask(river_job.unique_states, river_job.state)
),
job_updates AS (
    SELECT
        job.id,
        job.unique_key,
        job.unique_states,
        CASE
            WHEN job.row_num IS NULL THEN 'available'::river_job_state
            WHEN uc.unique_key IS NOT NULL THEN 'discarded'::river_job_state
            WHEN job.row_num = 1 THEN 'available'::river_job_state
            ELSE 'discarded'::river_job_state
        END AS new_state,
        (job.row_num IS NOT NULL AND (uc.unique_key IS NOT NULL OR job.row_num > 1)) AS finalized_at_do_update,
        (job.row_num IS NOT NULL AND (uc.unique_key IS NOT NULL OR job.row_num > 1)) AS metadata_do_update
    FROM jobs_with_rownum job
    LEFT JOIN unique_conflicts uc ON job.unique_key = uc.unique_key
),
updated_jobs AS (
    UPDATE river_job
    SET
        state        = job_updates.new_state,
        finalized_at = CASE WHEN job_updates.finalized_at_do_update THEN coalesce($1::timestamptz, now())
                            ELSE river_job.finalized_at END,
        metadata     = CASE WHEN job_updates.metadata_do_update THEN river_job.metadata || '{"unique_key_conflict": "scheduler_discarded"}'::jsonb
                            ELSE river_job.metadata END
    FROM job_updates
    WHERE river_job.id = job_updates.id
    RETURNING
        river_job.id,
        job_updates.new_state = 'discarded'::river_job_state AS conflict_discarded
)
SELECT
    river_job.id, river_job.args, river_job.attempt, river_job.attempted_at, river_job.attempted_by, river_job.created_at, river_job.errors, river_job.finalized_at, river_job.kind, river_job.max_attempts, river_job.metadata, river_job.priority, river_job.queue, river_job.state, river_job.scheduled_at, river_job.tags, river_job.unique_key, river_job.unique_states,
    updated_jobs.conflict_discarded
FROM river_job
JOIN updated_jobs ON river_job.id = updated_jobs.id

-- extended
-- types: text
-- parameters: $1 = 'default'
-- name: QueueGet :one
SELECT name, created_at, metadata, paused_at, updated_at
FROM river_queue
WHERE name = $1::text

-- extended
-- types: timestamp with time zone,bigint
-- parameters: $1 = '2026-11-28 18:04:26.75732+00', $2 = '10000'
-- name: QueueDeleteExpired :many
DELETE FROM river_queue
WHERE name IN (
    SELECT name
    FROM river_queue
    WHERE river_queue.updated_at < $1
    ORDER BY name ASC
    LIMIT $2::bigint
)
RETURNING name, created_at, metadata, paused_at, updated_at

-- extended
-- types: timestamp with time zone,text,boolean,text,text
-- parameters: $1 = '2026-11-29 18:04:23.3887+00', $2 = 'riversql', $3 = 't', $4 = NULL, $5 = 'river_leadership'
-- name: LeaderResign :execrows
WITH currently_held_leaders AS (
    SELECT elected_at, expires_at, leader_id, name
    FROM river_leader
    WHERE
        elected_at = $1::timestamptz
        AND leader_id = $2::text
    FOR UPDATE
),
notified_resignations AS (
    SELECT CASE WHEN $3::boolean THEN pg_notify(
        concat(coalesce($4::text, current_schema()), '.', $5::text),
        json_build_object('leader_id', leader_id, 'action', 'resigned')::text
    ) END
    FROM currently_held_leaders
)
DELETE FROM river_leader USING notified_resignations

