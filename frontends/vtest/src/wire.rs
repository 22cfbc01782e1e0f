//! The protocol's numbers.

/// Bytes of a message's header: length and command.
pub const HEADER_BYTES: usize = 8;
/// The newest protocol version spoken.
pub const VERSION: u32 = 2;
/// Words of the largest command stream a client sends is 66,560; this leaves room.
pub const MAX_SUBMIT_WORDS: u32 = 1 << 18;
/// Bytes of a program's name.
pub const MAX_NAME_BYTES: u32 = 1 << 16;

/// Defines an enum with `from_number`.
macro_rules! numbers {
    ($(#[$meta:meta])* pub enum $name:ident: $int:ty { $( $(#[$doc:meta])* $variant:ident = $value:literal, )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $( $(#[$doc])* $variant = $value, )+ }

        impl $name {
            /// Returns the value with this number.
            pub const fn from_number(number: $int) -> Option<Self> {
                match number {
                    $( $value => Some(Self::$variant), )+
                    _ => None,
                }
            }
        }
    };
}

numbers! {
    /// Messages of the socket.
    pub enum Message: u32 {
        /// Asks for the capabilities, first version.
        GetCaps = 1,
        /// Creates a resource with inline transfers.
        ResourceCreate = 2,
        /// Removes a resource's name.
        ResourceUnref = 3,
        /// Texels, inline, to the client.
        TransferGet = 4,
        /// Texels, inline, from the client.
        TransferPut = 5,
        /// A command stream.
        SubmitCmd = 6,
        /// Asks if a resource is busy, or waits until it is not.
        ResourceBusyWait = 7,
        /// The client's name.
        CreateRenderer = 8,
        /// Asks for the capabilities, second version.
        GetCaps2 = 9,
        /// Asks if the server knows protocol versions.
        PingProtocolVersion = 10,
        /// The newest version the client speaks.
        ProtocolVersion = 11,
        /// A resource with shared memory.
        ResourceCreate2 = 12,
        /// Texels to shared memory.
        TransferGet2 = 13,
        /// Texels from shared memory.
        TransferPut2 = 14,
    }
}

numbers! {
    /// Commands of the stream.
    pub enum Command: u8 {
        /// Nothing.
        Nop = 0,
        /// Makes an object.
        CreateObject = 1,
        /// Binds an object.
        BindObject = 2,
        /// Destroys an object.
        DestroyObject = 3,
        /// Viewports.
        SetViewportState = 4,
        /// Attachments.
        SetFramebufferState = 5,
        /// Vertex buffers, all of them.
        SetVertexBuffers = 6,
        /// Clears attachments.
        Clear = 7,
        /// Draws.
        DrawVbo = 8,
        /// Texels, inline.
        ResourceInlineWrite = 9,
        /// Textures.
        SetSamplerViews = 10,
        /// The index buffer.
        SetIndexBuffer = 11,
        /// Constants, inline.
        SetConstantBuffer = 12,
        /// Stencil references.
        SetStencilRef = 13,
        /// Constant blend colour.
        SetBlendColor = 14,
        /// Scissors.
        SetScissorState = 15,
        /// A copy that scales and converts.
        Blit = 16,
        /// A copy of texels as they are.
        ResourceCopyRegion = 17,
        /// Samplers.
        BindSamplerStates = 18,
        /// Begins a query.
        BeginQuery = 19,
        /// Ends a query.
        EndQuery = 20,
        /// Writes a query's result.
        GetQueryResult = 21,
        /// The polygon stipple.
        SetPolygonStipple = 22,
        /// User clip planes.
        SetClipState = 23,
        /// The sample mask.
        SetSampleMask = 24,
        /// Stream output targets.
        SetStreamoutTargets = 25,
        /// A query that draws depend on.
        SetRenderCondition = 26,
        /// Constants in a buffer.
        SetUniformBuffer = 27,
        /// Selects the context of the commands that follow.
        SetSubCtx = 28,
        /// A new context.
        CreateSubCtx = 29,
        /// Destroys a context.
        DestroySubCtx = 30,
        /// Binds a shader.
        BindShader = 31,
        /// Default tessellation levels.
        SetTessState = 32,
        /// Samples shaded at least.
        SetMinSamples = 33,
        /// Shader buffers.
        SetShaderBuffers = 34,
        /// Shader images.
        SetShaderImages = 35,
        /// A memory barrier.
        MemoryBarrier = 36,
        /// A compute dispatch.
        LaunchGrid = 37,
        /// A framebuffer's size without attachments.
        SetFramebufferStateNoAttach = 38,
        /// A texture barrier.
        TextureBarrier = 39,
        /// Atomic counter buffers.
        SetAtomicBuffers = 40,
        /// The host's log.
        SetDebugFlags = 41,
        /// A query's result to a buffer.
        GetQueryResultQbo = 42,
        /// Texels from shared memory.
        Transfer3d = 43,
        /// The end of the transfer area.
        EndTransfers = 44,
        /// Texels from a staging buffer.
        CopyTransfer3d = 45,
        /// Tweaks for GLES hosts.
        SetTweaks = 46,
        /// Clears a box of a texture.
        ClearTexture = 47,
        /// A resource made in the stream.
        PipeResourceCreate = 48,
        /// A type for a blob.
        PipeResourceSetType = 49,
        /// Asks for the amount of memory.
        GetMemoryInfo = 50,
        /// A note in the stream.
        EmitStringMarker = 51,
        /// Shaders used together.
        LinkShader = 52,
    }
}

numbers! {
    /// Objects of a context.
    pub enum ObjectType: u8 {
        /// Blend state.
        Blend = 1,
        /// Rasterizer state.
        Rasterizer = 2,
        /// Depth, stencil and alpha state.
        DepthStencilAlpha = 3,
        /// A shader.
        Shader = 4,
        /// Vertex elements.
        VertexElements = 5,
        /// A view to sample from.
        SamplerView = 6,
        /// Sampler state.
        SamplerState = 7,
        /// A view to draw to.
        Surface = 8,
        /// A query.
        Query = 9,
        /// A stream output target.
        StreamOutputTarget = 10,
        /// A view to draw to, multisampled.
        MsaaSurface = 11,
    }
}

/// Commands beyond [`Command`] that the protocol has: video.
pub const LAST_COMMAND: u8 = 61;
