/* The example on a PC. */

#include <stdio.h>

#include "save.h"

int save(uint16_t pixels[HEIGHT][WIDTH]) {
    FILE *file = fopen("picture.ppm", "wb");
    if (file == NULL) {
        return 1;
    }
    int failed = fputs(PPM_BEGIN, file) < 0;
    for (int y = 0; y < HEIGHT; y++) {
        uint8_t bytes[3 * WIDTH];
        convert(pixels[y], bytes);
        failed |= fwrite(bytes, sizeof bytes, 1, file) != 1;
    }
    return fclose(file) == 0 && !failed ? 0 : 1;
}

int main(void) {
    return example();
}
