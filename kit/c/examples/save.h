/* What a machine does for the example: host.c on a PC, mps2-an386/start.c on a board in QEMU. */

#ifndef SAVE_H
#define SAVE_H

#include <stdint.h>

enum { WIDTH = 240, HEIGHT = 240 };

/* The first bytes of the file `picture.ppm`, a picture that most viewers show. */
#define PPM_BEGIN "P6 240 240 255\n"

/* The example: draws, saves the picture, and returns the exit status. */
int example(void);

/* Writes a picture of RGB565 pixels to the file `picture.ppm`. Returns 0 if it succeeds. */
int save(uint16_t pixels[HEIGHT][WIDTH]);

/* Converts a row to three bytes per pixel: red, green, blue. */
static inline void convert(const uint16_t row[WIDTH], uint8_t bytes[3 * WIDTH]) {
    for (int x = 0; x < WIDTH; x++) {
        bytes[3 * x] = (uint8_t)((row[x] >> 11) * 255 / 31);
        bytes[3 * x + 1] = (uint8_t)((row[x] >> 5 & 63) * 255 / 63);
        bytes[3 * x + 2] = (uint8_t)((row[x] & 31) * 255 / 31);
    }
}

#endif
