#!/bin/sh
# Searches in shards, and merges them. It ends with the merge's log, and fails if a violation was found.
set -eu
cd "$(dirname "$0")"

# finished waits until a Job has come to its end, one way or the other.
finished() {
	until kubectl get "job/$1" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}' | grep -qE 'Complete|Failed'; do
		sleep 10
	done
	kubectl wait --for=condition=complete --timeout=0 "job/$1"
}

kubectl apply -f search.yaml
finished lockpick-search
kubectl apply -f merge.yaml
code=0
finished lockpick-merge || code=1
kubectl logs job/lockpick-merge
exit $code
