#!/bin/sh
# Searches in eight shards, and merges them: the second job waits until all of the first have succeeded. QUEUE names the job queue.
# Batch sets AWS_BATCH_JOB_ARRAY_INDEX and AWS_BATCH_JOB_ARRAY_SIZE, so that --shard=auto knows which shard a job is.
set -eu
cd "$(dirname "$0")"
aws batch register-job-definition --cli-input-json file://job-definition.json >/dev/null
search=$(aws batch submit-job --job-name lockpick-search --job-queue "${QUEUE:?}" --job-definition lockpick \
	--array-properties size=8 --query jobId --output text)
aws batch submit-job --job-name lockpick-merge --job-queue "$QUEUE" --job-definition lockpick --depends-on "jobId=$search" \
	--container-overrides '{"command": ["merge", "/search/shards", "--jobs=4", "--out=/search/merged"]}'
