module github.com/lockpick-dev/lockpick

go 1.26
