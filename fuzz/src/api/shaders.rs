//! Shaders for sequences of calls: small ones that reach much of the driver.

use pipe_core::ShaderType;

/// Passes a position and a colour.
pub(super) const PASS: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";

/// Shows the texel under the colour, times the colour.
pub(super) const TEXTURED: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], IN[0]
END";

/// Texts by stage, some of them of another one than they are created as.
pub(crate) const SHADERS: [(ShaderType, &str); 18] = [
    (ShaderType::Vertex, PASS),
    (ShaderType::Fragment, TEXTURED),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
    ),
    (ShaderType::Fragment, "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND"),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], PSIZE\n\
         DCL OUT[3], CLIPDIST\nDCL SV[0], INSTANCEID\nDCL SV[1], VERTEXID\nDCL TEMP[0]\n\
         I2F TEMP[0].x, SV[0].xxxx\nI2F TEMP[0].y, SV[1].xxxx\nADD OUT[0], IN[0], TEMP[0].xyxx\n\
         MOV OUT[1], IN[1]\nMOV OUT[2].x, TEMP[0].yyyy\nMOV OUT[3], IN[1]\nEND",
    ),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], VIEWPORT_INDEX\n\
         DCL OUT[3], LAYER\nDCL OUT[4], EDGEFLAG\nDCL ADDR[0]\nDCL CONST[0..7]\nARL ADDR[0].x, IN[0].xxxx\n\
         MOV OUT[0], IN[0]\nMOV OUT[1], CONST[ADDR[0].x]\nMOV OUT[2], IN[0]\nMOV OUT[3], IN[0]\n\
         MOV OUT[4], IN[0]\nEND",
    ),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
         MOV OUT[0], IN[0]\nIMM[0] FLT32 { 0.0, 1.0, 2.0, 0.5 }\nTXL OUT[1], IMM[0].xxxx, SAMP[0], 2D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL IN[1], POSITION, LINEAR\nDCL IN[2], FACE, CONSTANT\n\
         DCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL OUT[2], STENCIL\nKILL_IF -IN[0].xxxx\nMOV OUT[0], IN[0]\n\
         MOV OUT[1].z, IN[1].zzzz\nMOV OUT[2].y, IN[1].xxxx\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], PCOORD, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
         DDX TEMP[0], IN[0]\nDDY TEMP[0].xy, IN[1]\nRCP TEMP[0].z, TEMP[0].xxxx\nMOV OUT[0], TEMP[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nIMM[0] FLT32 { 0.0, 1.0, 9.0, 0.1 }\n\
         MOV TEMP[0], IMM[0].xxxx\nBGNLOOP\nSGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz\nIF TEMP[1].xxxx\nBRK\nENDIF\n\
         ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nMUL OUT[0], TEMP[0].xxxx, IN[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0]\n\
         FBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IN[0]\nMOV OUT[1], TEMP[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], CUBE, FLOAT\n\
         TEX OUT[0], IN[0], SAMP[0], CUBE\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 3D, FLOAT\n\
         TXB OUT[0], IN[0], SAMP[0], 3D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT\n\
         TXP OUT[0], IN[0], SAMP[0], SHADOW2D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_ARRAY, UINT\nDCL TEMP[0]\n\
         F2I TEMP[0], IN[0]\nTXF OUT[0], TEMP[0], SAMP[0], 2D_ARRAY\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
         IMM[0] INT32 { 0, 1, -8, 7 }\nTG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, IMM[0].zwz\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nDCL TEMP[0]\n\
         F2I TEMP[0], IN[0]\nTXF OUT[0], TEMP[0], SAMP[0], BUFFER\nEND",
    ),
    (
        ShaderType::Geometry,
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n\
         PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] INT32 { 0, 0, 0, 0 }\n\
         MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND",
    ),
];
