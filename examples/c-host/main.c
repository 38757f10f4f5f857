/* A host in C: prints how many lines a table has, 0 where the reader of tables is missing. */
#include <stddef.h>
#include <stdio.h>

size_t read_host_table_lines(void);

int main(void) {
    printf("%zu\n", read_host_table_lines());
    return 0;
}
