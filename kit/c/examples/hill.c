/* Draws a plane that the program's own shader lifts to a hill. hill.h is made of hill.wgsl:
 *
 *     cargo xtask wgsl --c kit/c/examples/hill.wgsl --output kit/c/examples/hill.h
 */

#include <stddef.h>

#include "hill.h"
#include "save.h"

/* Memory for the driver: scene buffer, one tile of colour and depth, objects, 289 vertices. */
static uint8_t memory[80 * 1024];

/* The panel: replace it with the transmission to a display. */
static uint16_t picture[HEIGHT][WIDTH];

static int32_t take(void *user, const gallium_tile *tile) {
    uint16_t (*rows)[WIDTH] = user;
    for (uint32_t y = 0; y < tile->height; y++) {
        const uint8_t *row = (const uint8_t *)tile->pixels + y * tile->stride_bytes;
        const uint16_t *pixels = (const uint16_t *)row;
        for (uint32_t x = 0; x < tile->width; x++) {
            rows[tile->y + y][tile->x + x] = pixels[x];
        }
    }
    return 0;
}

static gallium_error draw(const gallium_panel *panel) {
    gallium *device;
    gallium_target *target;
    gallium_mesh *mesh;
    gallium_pipeline *pipeline;
    gallium_error error;
    const gallium_color night = {0.0f, 0.0f, 0.2f, 1.0f};
    const gallium_vec3 eye = {0.0f, 1.5f, 2.5f}, center = {0.0f, 0.25f, 0.0f};

    if ((error = gallium_create(memory, sizeof memory, 24 * 1024, &device)) ||
        (error = gallium_target_create(device, GALLIUM_FORMAT_RGB565, GALLIUM_DEPTH_BITS16, WIDTH,
                                       HEIGHT, &target)) ||
        (error = gallium_mesh_plane(device, 16, 16, &mesh)) ||
        (error = gallium_pipeline_create(device, mesh, GALLIUM_SURFACE_SHEET, &hill_vs, &hill_fs,
                                         &pipeline))) {
        return error;
    }

    gallium_mat4 lens = gallium_frustum(0.5f, 0.5f, 1.0f, 8.0f);
    const hill_vs_constants constants = {
        .clip_from_model = gallium_multiply(lens, gallium_look_at(eye, center)),
        .summit = {0.25f, 0.75f, -0.25f},
        .green = {0.125f, 0.5f, 0.25f},
        .white = {1.0f, 1.0f, 1.0f},
    };
    if ((error = gallium_begin(device, target, night)) ||
        (error = gallium_pipeline_draw(device, pipeline, mesh, NULL, &constants, sizeof constants))) {
        return error;
    }
    return gallium_present(device, target, panel);
}

int example(void) {
    const gallium_panel panel = {.user = picture, .tile = take};
    gallium_error error = draw(&panel);
    return error ? (int)error : save(picture);
}
