/* Draws a lit cube on a panel of 240 x 240 pixels, and saves the picture. */

#include <gallium.h>

#include "save.h"

/* Memory for the driver: scene buffer, one tile of colour and depth, objects. */
static uint8_t memory[28 * 1024];

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
    gallium_material *orange;
    gallium_error error;
    const gallium_color color = {1.0f, 0.5f, 0.1f, 1.0f};
    const gallium_color night = {0.0f, 0.0f, 0.2f, 1.0f};
    const gallium_vec3 eye = {0.0f, 2.0f, 4.0f}, center = {0.0f, 0.0f, 0.0f};

    if ((error = gallium_create(memory, sizeof memory, 4096, &device)) ||
        (error = gallium_target_create(device, GALLIUM_FORMAT_RGB565, GALLIUM_DEPTH_BITS16, WIDTH,
                                       HEIGHT, &target)) ||
        (error = gallium_mesh_cube(device, &mesh)) ||
        (error = gallium_material_lit(device, mesh, GALLIUM_SURFACE_SOLID, color, &orange))) {
        return error;
    }

    /* One picture; repeat this part for the next ones. */
    gallium_mat4 lens = gallium_frustum(1.0f, 1.0f, 2.0f, 8.0f);
    gallium_view view = gallium_view_of(gallium_multiply(lens, gallium_look_at(eye, center)));
    gallium_mat4 model = gallium_rotation_y(0.5f);
    if ((error = gallium_begin(device, target, night)) ||
        (error = gallium_draw(device, orange, mesh, &view, &model))) {
        return error;
    }
    return gallium_present(device, target, panel);
}

int example(void) {
    const gallium_panel panel = {.user = picture, .tile = take};
    gallium_error error = draw(&panel);
    return error ? (int)error : save(picture);
}
